"""Print what Harbor wants for the control of networks: its sidecar's image and sources, the image of its probe."""

from __future__ import annotations

import asyncio

from harbor.environments.docker.docker import DockerEnvironment
from harbor.environments.docker.utils import _compute_image_name, default_docker_platform
from harbor.utils.container_cache import docker_build_context_hash


def main() -> None:
    """Three lines; Harbor 0.25 has no public names for these."""
    source = DockerEnvironment._EGRESS_CONTROL_SIDECAR_CONTEXT_PATH
    key = docker_build_context_hash(
        context=source,
        dockerfile_path=DockerEnvironment._egress_control_sidecar_dockerfile_path(),
        build_args={},
        platform=asyncio.run(default_docker_platform()),
    )
    print(_compute_image_name(DockerEnvironment._EGRESS_CONTROL_SIDECAR_DOCKER_NAME, key))
    print(source)
    print(DockerEnvironment._EGRESS_CONTROL_KERNEL_PROBE_IMAGE)


if __name__ == "__main__":
    main()
