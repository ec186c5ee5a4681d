"""People who work at a company: names that many places could have, handles that are unique inside one world."""

from __future__ import annotations

from typing import Final

from alertforge.seeds import Rng
from alertforge.world.companies import COMPANIES, Company
from alertforge.world.model import Person

# Given names and surnames that go together often enough; a draw crosses them within one row.
_TABLE: Final = """
Liv Torvald Signe Jorunn Eskil Ingrid Halvard Solveig Gunnar Astrid Sindre Ragnhild Vidar Tuva Oddvar Marit Kjersti
Ludvig
Halvorsen, Brekke, Tveit, Lindqvist, Solhaug, Nygaard, Hagen, Moen, Bakken, Sandvik, Myhre, Rosvold, Aasen, Engdahl,
Bergstad, Holmgren, Sundberg, Fossum

Marta Ruben Noelia Iker Jimena Gonzalo Lucia Alvaro Paloma Sergio Nerea Adrian Rocio Joaquin Carmen Hugo Estela Borja
Arrizabalaga, Valdes, Monterde, Quiroga, Lasheras, Castellanos, Olmedo, Barrientos, Escribano, Zamora, Cifuentes,
Galindo, Marchena, Pedraza, Rebollo, Salvatierra, Urrutia, Villalba

Aditi Rohan Meenal Varun Ishita Nikhil Priya Arjun Kavya Siddharth Ananya Harish Deepa Vivek Lakshmi Manoj Sneha Tarun
Deshmukh, Pillai, Kulkarni, Bhattacharya, Ranganathan, Chaudhary, Subramaniam, Jadhav, Mehra, Nambiar, Rao, Saxena,
Shetty, Trivedi, Venkatesh, Wagle, Sengupta, Gokhale

Yuki Haruto Emi Kaito Nozomi Sota Ayaka Daisuke Hinata Kenji Mizuki Ryota Sakura Takumi Yui Naoko Shiori Tomoya
Morikawa, Ishida, Kurosaki, Nagatani, Tsukuda, Arakawa, Fujisawa, Hayashida, Iwasaki, Kitajima, Matsumura, Nishioka,
Okamoto, Sakurai, Tanabe, Umeda, Yokoyama, Kawabata

Amara Chidi Ifeoma Tunde Ngozi Kelechi Adaeze Babajide Chiamaka Emeka Folake Ikenna Nkechi Obinna Olumide Simisola
Uche Yetunde
Okwuosa, Adeyemi, Nwachukwu, Ezeilo, Balogun, Afolabi, Chukwuma, Ezenwa, Ibekwe, Nnamdi, Obiora, Ogunleye, Okoli,
Onyekachi, Oyelaran, Salako, Umeh, Uzor

Leila Karim Samira Youssef Nadia Tarek Amina Bilal Farah Hicham Imane Khalid Lamia Mehdi Rania Sofiane Yasmine Zakaria
Benhaddou, Mansouri, El Khadri, Haddouche, Zerouki, Azzouzi, Belkacem, Bouazza, Chaoui, Daoudi, Fassi, Ghazali,
Hamdaoui, Idrissi, Kaddouri, Lahlou, Mekki, Rahmouni

Mei Xiu Boyang Haoran Yifan Ruoxi Zihan Xinyi Jiahui Weijie Yuchen Siyu Mingjie Lihua Qiaoling Tianyu Wenjing Zhiyuan
Zhou, Xu, Zhu, Guo, Gao, Luo, Zheng, Liang, Xie, Tang, Feng, Cao, Peng, Zeng, Xiao, Shen, Jiang, Ouyang

Agnieszka Piotr Kasia Marek Jagoda Oskar Ewelina Grzegorz Halina Jakub Kinga Lukasz Malgorzata Norbert Patrycja Rafal
Urszula Wojciech
Wrzesniak, Sulima, Andrzejak, Gajda, Jankowiak, Krawczyk, Pawlak, Szymczak, Tomczyk, Wojcik, Kaczmarek, Walczak,
Kubiak, Mazurek, Stasiak, Olejnik, Banach, Marciniak

Thandi Sipho Lerato Kagiso Nomvula Lindani Ayanda Mpho Kelebogile Mandla Naledi Palesa Refilwe Sibusiso Thabo Tshepo
Unathi Zanele
Mabaso, Khumalo, Dladla, Ntshingila, Mokoena, Buthelezi, Langa, Hadebe, Mahlangu, Masondo, Mkhize, Molefe, Motaung,
Ndlovu, Nkosi, Sithole, Tshabalala, Zwane

Camille Bastien Maelle Yannick Oceane Thibault Adele Benoit Clemence Damien Elodie Fabrice Gaelle Jerome Lucile
Mathieu Noemie Quentin
Delacourt, Rouvier, Petitclair, Kermadec, Aubry, Besnard, Chevallier, Descamps, Fontenay, Gauthier, Hamelin, Jourdain,
Lacombe, Marchand, Noirot, Perrault, Rousselle, Vasseur

Priscila Caio Janaina Davi Luana Heitor Beatriz Cauan Fernanda Gustavo Isadora Leandro Mariana Otavio Raissa Thiago
Vitoria Wesley
Figueiredo, Sampaio, Couto, Nogueira, Barroso, Alencar, Bittencourt, Cavalcanti, Drummond, Evangelista, Frota,
Guimaraes, Lobato, Menezes, Pimentel, Queiroz, Siqueira, Teixeira

Orla Declan Saoirse Fergus Niamh Cormac Aoife Conall Ciara Donal Eimear Fionn Grainne Oisin Maeve Padraig Roisin Tadhg
Tierney, Mulgrave, Dunleavy, Corrigan, Lenaghan, Brannigan, Cullinane, Devereux, Farrelly, Geraghty, Hanrahan,
Kilbride, Mulcahy, Noonan, Quigley, Rafferty, Shanahan, Tuohy

Selin Emre Defne Kerem Elif Onur Asli Baris Ceren Deniz Esra Gokhan Hande Ilker Melis Nazli Serkan Zeynep
Karatepe, Yildiran, Aksoy, Demirkan, Ozturk, Altin, Bayrakci, Cetinkaya, Dogruer, Erdemir, Gunduz, Isikli, Kocabas,
Ozdemir, Sarikaya, Tuncer, Uzuner, Yalcin

Wanjiru Otieno Makena Kiprop Achieng Baraka Atieno Chebet Juma Kendi Kibet Moraa Mwangi Nyambura Odongo Rehema Wambui
Wekesa
Kamau, Odhiambo, Njoroge, Mutiso, Muriuki, Barasa, Githinji, Kariuki, Kimani, Maina, Mbugua, Mutua, Ndungu, Nyaga,
Ochieng, Omondi, Onyango, Wafula

Hedda Joris Femke Lars Anouk Bram Carlijn Diederik Esmee Floris Gijs Hanneke Ilse Jeroen Lotte Maarten Roos Sjoerd
Van Doorn, Hoekema, Terpstra, Zonneveld, De Graaf, Bakhuizen, Dijkgraaf, Feenstra, Groeneveld, Hagedoorn, Kuipers,
Lansink, Molenaar, Oosterhuis, Postma, Rietveld, Schouten, Veldkamp

Linh Minh Thuy Quan Trang Khoa Bao Diep Duc Giang Hanh Hieu Ngoc Phuong Quynh Tuan Uyen Vinh
Truong, Doan, Huynh, Pham, Ngo, Bui, Dinh, Duong, Hoang, Luong, Thach, Nguyen, Phan, Quach, Tran, Trinh, Vuong, Luu

Annika Bernd Dorothea Florian Franziska Gesine Holger Imke Jannis Katrin Lennart Meike Ottilie Philipp Rieke Steffen
Theresa Ulrich
Ahlers, Brinkmann, Dettmer, Eberhardt, Feldhaus, Grothe, Heidenreich, Imhof, Kettler, Lohmann, Mertens, Niehaus,
Overbeck, Pfeiffer, Reinecke, Steinhoff, Tiedemann, Wiesner

Alessia Chiara Dario Elisa Federico Giulia Ilaria Lorenzo Matteo Ottavia Paolo Renata Silvia Tommaso Valeria Cesare
Marcello Fiorella
Anselmi, Bellandi, Castagna, Dalmasso, Ferraris, Gavazzi, Lombardini, Marchesini, Nardelli, Orlandi, Petrucci,
Quaranta, Ravasi, Sartori, Tedesco, Zanotti, Bonfanti, Cavagna

Eleni Nikos Katerina Giorgos Despina Stelios Fotini Vangelis Ioanna Kostas Panagiotis Thanasis Xenia Yiannis Zoe
Christos Anthi Lefteris
Alexandrou, Anagnostou, Andreou, Antoniou, Athanasiou, Christou, Dimitriou, Lazarou, Evangelou, Georgiou, Ioannou,
Konstantinou, Kyriakou, Nikolaou, Papageorgiou, Stavrou, Theodorou, Vasiliou

Aino Eero Hilla Ilmari Jussi Kaisa Lauri Marjut Oona Paavo Riikka Sampo Tuomas Ulla Veikko Mikko Sanna Petteri
Aaltonen, Hakala, Heikkinen, Jokela, Kallio, Kinnunen, Koskela, Lahtinen, Lehtola, Mattila, Nieminen, Pelkonen,
Rantala, Saarela, Salminen, Tuominen, Vainio, Ylitalo

Jiwoo Minjun Seoyeon Jinwoo Sora Doyun Sumin Eunji Hyunwoo Taeyang Nari Areum Siwoo Dahye Kyungmin Yejin Seungmin Haeun
Seo, Yoon, Jang, Lim, Kwon, Ahn, Jeon, Hong, Yoo, Bae, Baek, Nam, Noh, Ryu, Heo, Tak, Chae, Kwak

Oksana Taras Halyna Bohdan Iryna Dmytro Khrystyna Mykhailo Larysa Nazar Olena Petro Solomiya Stepan Tetiana Vasyl
Yaryna Zoriana
Bondarenko, Danylchuk, Fedorenko, Havryliuk, Ivashchenko, Kovalchuk, Kulyk, Marchenko, Nechyporuk, Ostapchuk,
Panasenko, Romaniuk, Sydorenko, Tkachenko, Vasylenko, Yurchenko, Zahoruiko, Didenko

Arash Bahar Darya Farhad Pegah Hamed Kamran Kaveh Laleh Mahnaz Navid Parisa Ramin Shirin Soraya Yalda Babak Mina
Afshar, Bahrami, Dehghan, Etemadi, Farahani, Ghorbani, Javadi, Kazemi, Lotfi, Moradi, Nazari, Ostovar, Parsai,
Rostami, Sadeghi, Tavakoli, Vaziri, Zandi

Anca Cosmin Cristina Emilia Florin Gabriela Horia Ilinca Liviu Mihaela Nicoleta Octavian Raluca Sorin Teodora Viorel
Dragos Corina
Albescu, Bratu, Ciobanu, Dragomir, Enache, Filipescu, Grigorescu, Ionita, Lazar, Manole, Negrea, Oprea, Rusu, Stanciu,
Tudorache, Ungureanu, Vlaicu, Zamfir

Balint Csilla Eszter Ferenc Gabor Hajnal Istvan Judit Krisztina Laszlo Orsolya Reka Szabolcs Timea Viktoria Zoltan
Zsofia Tibor
Apati, Benko, Bartos, Csonka, Dudas, Fekete, Gulyas, Hegyi, Jakab, Kardos, Lakatos, Meszaros, Nyitrai, Orosz, Palfi,
Somogyi, Toldi, Vadasz
"""


def _read(table: str) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Rows of the table: given names, which no comma follows, and surnames."""
    rows = []
    for block in table.strip().split("\n\n"):
        lines = block.split("\n")
        first = next(at for at, line in enumerate(lines) if "," in line)
        given, surnames = " ".join(lines[:first]), " ".join(lines[first:])
        rows.append((tuple(given.split()), tuple(surnames.split(", "))))
    return tuple(rows)


NAMES: Final = _read(_TABLE)

_LEAD_ROLES: Final = ("engineering manager", "tech lead", "team lead", "staff engineer")
_MEMBER_ROLES: Final = (
    "backend engineer",
    "senior backend engineer",
    "software engineer",
    "senior software engineer",
    "platform engineer",
    "support engineer",
    "data engineer",
)
_SRE_ROLES: Final = (
    "site reliability engineer",
    "observability engineer",
    "head of reliability",
    "production engineer",
)


def names_of(company: Company) -> list[tuple[str, str]]:
    """Given name and surname of everybody who may work at a company: its share of all names, so nobody has two jobs."""
    everybody = [(given, surname) for names, surnames in NAMES for given in names for surname in surnames]
    return everybody[COMPANIES.index(company) :: len(COMPANIES)]


class Staff:
    """Hires people for one world; no two share a given name or a surname, so a handle or a surname names one person."""

    def __init__(self, rng: Rng, company: Company) -> None:
        self._rng = rng
        self._free = rng.shuffled(names_of(company))

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
        given, surname = self._free[-1]
        self._free = [(name, family) for name, family in self._free if name != given and family != surname]
        return Person(f"{given} {surname}", given.lower(), role)
