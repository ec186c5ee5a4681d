"""Companies, services, teams, people, calendar and house style."""
