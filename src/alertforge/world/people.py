"""People who work at a company: names that many places could have, handles that are unique inside one world."""

from __future__ import annotations

from alertforge.seeds import Rng
from alertforge.world.model import Person

# Given names and surnames that go together often enough; a draw crosses them within one line.
_TABLE = """
Ines Liv Torvald Signe Jorunn Eskil | Halvorsen, Brekkhus, Tveiten, Lindqvarn, Solhaug
Marta Ruben Noelia Iker Jimena Gonzalo | Arrizaga, Valdecasas, Monterde, Quiroga, Lasheras
Aditi Rohan Meenal Varun Ishita Nikhil | Deshmankar, Pillarisetty, Kulshekar, Bhattar, Ranganekar
Yuki Haruto Emi Kaito Nozomi Sota | Morikane, Ishidate, Kurosaki, Nagatomi, Tsukuda
Amara Chidi Ifeoma Tunde Ngozi Kelechi | Okwuosa, Adeyinka, Nwachuku, Ezeilo, Balogunde
Leila Karim Samira Youssef Nadia Tarek | Benhadj, Mansouria, El Khadri, Haddouche, Zerouki
Mei Jun Xiu Bowen Lan Haoran | Liangsu, Ouyan, Tanglin, Shenwei, Fangyu
Agnieszka Piotr Kasia Marek Jagoda Oskar | Wrzesniak, Kalinowicz, Borzecki, Sulimierz, Dabrowiak
Thandi Sipho Lerato Kagiso Nomsa Bheki | Mabuzela, Khumane, Dlaminika, Ntshinga, Mokoenane
Camille Bastien Maelle Yannick Oceane Thibault | Delacombe, Rouvier, Petitclair, Kermadec, Aubrelle
Priscila Caio Janaina Davi Luana Heitor | Figueirola, Sampaiva, Couteiro, Nogueral, Barrosinho
Orla Declan Saoirse Fergus Niamh Cormac | Tierneyhan, Mulgrave, Dunleary, Carrickford, Lenaghan
Selin Emre Defne Kerem Elif Onur | Karatepeli, Yildizoglu, Aksoydan, Demirbay, Ozturkan
Wanjiru Otieno Makena Kiprop Achieng Baraka | Kamauri, Odhiambu, Njorogeh, Mutisoi, Cheruto
Hedda Joris Femke Lars Anouk Bram | Van Dorsten, Hoekema, Terpstraat, Zonneveldt, De Graauw
Linh Minh Thuy Quan Trang Khoa | Truongson, Dangvu, Huynhle, Phambao, Ngoduc
"""


def _read(table: str) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    rows = [line.split(" | ") for line in table.split("\n") if line]
    return tuple((tuple(given.split()), tuple(surnames.split(", "))) for given, surnames in rows)


_NAMES = _read(_TABLE)

_LEAD_ROLES = ("engineering manager", "tech lead", "team lead", "staff engineer")
_MEMBER_ROLES = (
    "backend engineer",
    "senior backend engineer",
    "software engineer",
    "platform engineer",
    "support engineer",
    "data engineer",
    "on-call engineer",
)
_SRE_ROLES = ("site reliability engineer", "observability engineer", "head of reliability", "production engineer")


class Staff:
    """Hires people for one world; no two share a given name or a surname, so a handle or a surname names one person."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng
        self._names = rng.shuffled([(given, row) for row, (names, _) in enumerate(_NAMES) for given in names])
        self._surnames = [rng.shuffled(surnames) for _, surnames in _NAMES]

    def lead(self) -> Person:
        """Someone who leads a team."""
        return self._hire(self._rng.choice(_LEAD_ROLES))

    def member(self) -> Person:
        """Someone on a team's rota."""
        return self._hire(self._rng.choice(_MEMBER_ROLES))

    def sre(self) -> Person:
        """The person who owns the monitoring repo."""
        return self._hire(self._rng.choice(_SRE_ROLES))

    def _hire(self, role: str) -> Person:
        given, row = self._names.pop()
        while not self._surnames[row]:
            given, row = self._names.pop()
        return Person(f"{given} {self._surnames[row].pop()}", given.lower(), role)
