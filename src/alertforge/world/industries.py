"""Industries and the services their companies run, as tables that `catalog.read_areas` reads.

Every area is one team's worth of services. Teams of `PLATFORM` exist in companies of any industry.
"""

from __future__ import annotations

from collections.abc import Mapping

from alertforge.world.catalog import Area, read_areas

PLATFORM = read_areas("""
# edge=Edge; ingress-crew=Ingress; web-platform=Web Platform
edge-proxy | the edge proxy | takes every request from the internet | web 900/8 | redis
static-assets | the asset server | serves images, scripts and style sheets | web 600/4 | objstore
api-gateway | the API gateway | authenticates and forwards partner calls | web 500/6 | session-store redis
feature-flags | the feature flag service | tells clients which experiments they are in | rpc 400/4 | redis
rate-limiter | the rate limiter | counts calls against partner quotas | rpc 700/5 | redis

# identity=Identity; accounts=Accounts; trust=Trust and Identity
login | the login service | checks passwords and second factors | web 90/4 | session-store postgres
session-store | the session store | keeps track of who is signed in | rpc 450/6 | redis
token-issuer | the token issuer | signs short-lived access tokens | rpc 220/4 | postgres
profile-api | the profile API | reads and changes account details | web 120/4 | postgres
consent-log | the consent log | records what people agreed to | job 20/3 | postgres kafka

# data-platform=Data Platform; pipelines=Pipelines; insights=Insights
event-ingest | the event collector | accepts events from apps and devices | web 800/8 | kafka
report-runner | the report runner | renders scheduled reports | job 12/3 | objstore postgres
warehouse-loader | the warehouse loader | copies events to the warehouse in batches | job 30/4 | kafka objstore
metrics-api | the dashboard API | answers the queries behind customer dashboards | web 80/4 | postgres redis
export-worker | the export worker | writes data exports for customers | job 16/3 | objstore rabbitmq

# messaging=Messaging; comms=Communications; outreach=Outreach
mail-sender | the mail sender | delivers transactional mail | job 60/4 | rabbitmq
push-relay | the push relay | hands notifications to phone platforms | job 140/5 | kafka redis
sms-bridge | the SMS bridge | sends text messages through carriers | job 25/3 | rabbitmq
template-store | the template store | keeps and renders message templates | rpc 110/3 | postgres
inbox-api | the inbox API | shows people the messages they were sent | web 150/4 | postgres
""")

INDUSTRIES: Mapping[str, tuple[Area, ...]] = {
    "freight logistics": read_areas("""
# quotes=Quotes; pricing=Lane Pricing; shipper-experience=Shipper Experience
quote-api | the quote API | prices a lane while the shipper waits | web 180/6 | rate-card redis
rate-card | the rate card service | knows what each carrier charges on each lane | rpc 320/5 | postgres
lane-search | the lane search | finds connections between two ports | web 140/4 | rate-card
surcharge-calc | the surcharge calculator | adds fuel and congestion surcharges | rpc 260/4 | redis
contract-store | the contract store | keeps negotiated rates | web 40/3 | postgres

# tracking=Tracking; visibility=Visibility; telematics=Telematics
position-ingest | the position collector | takes in truck and vessel positions | web 650/8 | kafka
eta-engine | the ETA engine | predicts when a load arrives | rpc 210/6 | position-ingest redis
geofence | the geofence service | notices trucks that enter or leave a yard | job 120/4 | kafka
tracking-page | the tracking page | shows consignees where their load is | web 240/5 | eta-engine
telemetry-decoder | the telemetry decoder | turns device frames into events | job 180/6 | kafka

# dispatch=Dispatch; loads=Load Planning; operations=Fleet Operations
load-matcher | the load matcher | pairs loads with carriers | rpc 75/4 | postgres
dispatch-board | the dispatch board | is what dispatchers look at all day | web 95/4 | load-matcher
driver-app-api | the driver API | talks to the app in the cab | web 310/6 | dispatch-board redis
dock-slots | the dock scheduler | books loading slots at warehouses | web 50/3 | postgres
tender-worker | the tender worker | offers loads to carriers one after the other | job 20/3 | rabbitmq

# customs=Customs; paperwork=Trade Documents; compliance=Compliance
declaration-api | the declaration API | files customs declarations | web 35/3 | tariff-lookup postgres
tariff-lookup | the tariff lookup | classifies goods by tariff code | rpc 130/4 | redis
document-scan | the document scanner | reads bills of lading | job 15/4 | objstore
sanctions-check | the sanctions check | screens parties before a booking | rpc 60/3 | postgres
waybill-printer | the waybill printer | renders waybills and labels | job 28/3 | objstore

# settlement=Settlement; freight-billing=Freight Billing; finance-systems=Finance Systems
invoice-builder | the invoice builder | turns delivered loads into invoices | job 18/3 | postgres
carrier-payouts | the carrier payouts | pays carriers after proof of delivery | job 10/3 | postgres
fuel-cards | the fuel card service | authorises purchases at the pump | rpc 55/4 | postgres
claims-desk | the claims desk | handles damage and loss claims | web 15/2 | objstore
credit-check | the credit check | decides how much a shipper may owe | rpc 25/3 | postgres
"""),
    "meal delivery": read_areas("""
# ordering=Ordering; placing=Basket and Checkout; diners=Diner Experience
menu-api | the menu API | shows what a kitchen offers right now | web 420/7 | redis
basket | the basket service | holds an order until it is placed | rpc 200/5 | redis
order-intake | the order intake | accepts orders and promises a time | web 130/6 | basket postgres
promo-engine | the promotion engine | works out vouchers and discounts | rpc 160/4 | redis
reorder-hints | the reorder hints | suggests what a diner had last time | web 90/3 | redis

# kitchens=Kitchens; partners=Restaurant Partners; merchant=Merchant Tools
kitchen-tablet | the kitchen tablet API | feeds the tablet next to the stove | web 170/5 | postgres
prep-timer | the preparation timer | estimates how long a dish takes | rpc 110/4 | redis
stock-sync | the stock sync | takes dishes off the menu when they run out | job 45/3 | kafka
partner-portal | the partner portal | lets restaurants change hours and prices | web 40/3 | postgres
menu-import | the menu import | reads menus from till systems | job 12/3 | objstore

# couriers=Couriers; riders=Rider Operations; last-mile=Last Mile
courier-matcher | the courier matcher | offers an order to nearby couriers | rpc 140/6 | redis
rider-locations | the rider location service | keeps the last position of every rider | rpc 720/8 | redis
shift-planner | the shift planner | opens and fills delivery shifts | web 30/3 | postgres
route-planner | the route planner | finds a way through the city | rpc 190/5 | redis
heat-map | the heat map | shows couriers where orders come from | web 85/3 | redis

# checkout=Checkout; payments=Payments; money-flow=Money Flow
card-capture | the card capture service | charges the card when the food leaves | rpc 80/4 | postgres
tip-ledger | the tip ledger | keeps tips apart from fees | rpc 35/3 | postgres
refund-worker | the refund worker | pays back late and wrong orders | job 14/3 | rabbitmq
restaurant-payouts | the restaurant payouts | settles with kitchens every week | job 10/2 | postgres
tax-receipts | the receipt service | issues receipts with the right tax | job 40/3 | objstore

# care=Customer Care; support-tools=Support Tools; quality=Delivery Quality
help-chat | the help chat | connects diners with support | web 60/4 | redis
incident-triage | the complaint triage | sorts complaints by what went wrong | job 20/3 | kafka
photo-check | the photo check | compares handover photos | job 18/4 | objstore
rating-api | the rating API | stores stars and comments | web 70/3 | postgres
fraud-score | the fraud score | flags refund abuse | rpc 65/4 | postgres
"""),
    "telehealth": read_areas("""
# visits=Visits; consults=Consultations; virtual-care=Virtual Care
waiting-room | the waiting room | holds patients until a doctor is free | web 90/4 | redis
video-signal | the video signalling service | sets up calls between two browsers | rpc 150/6 | redis
visit-notes | the visit notes | saves what the doctor wrote | web 45/4 | postgres
visit-recorder | the consent recorder | files consent for recorded visits | job 12/3 | objstore
queue-estimator | the queue estimator | tells patients how long it will take | rpc 70/3 | redis

# scheduling=Scheduling; appointments=Appointments; booking-desk=Booking Desk
slot-finder | the slot finder | searches free appointments | web 160/5 | calendar-sync redis
calendar-sync | the calendar sync | mirrors clinicians' calendars | job 40/4 | rabbitmq
reminder-worker | the reminder worker | reminds patients the day before | job 30/3 | rabbitmq
no-show-model | the no-show model | guesses who will not turn up | rpc 25/3 | redis
referral-intake | the referral intake | accepts referrals from practices | web 20/3 | postgres

# prescriptions=Prescriptions; pharmacy=Pharmacy; medication=Medication Safety
rx-writer | the prescription writer | signs electronic prescriptions | web 35/4 | interaction-check postgres
interaction-check | the interaction check | warns about drugs that do not mix | rpc 95/4 | redis
pharmacy-router | the pharmacy router | sends a prescription to the right counter | job 25/3 | rabbitmq
refill-desk | the refill desk | handles repeat prescriptions | web 30/3 | postgres
dosage-lookup | the dosage lookup | knows common doses by weight and age | rpc 110/3 | redis

# records=Health Records; chart=Patient Chart; clinical-data=Clinical Data
chart-api | the chart API | opens a patient's history | web 130/5 | postgres
lab-import | the lab import | reads results from laboratories | job 28/4 | kafka
image-archive | the image archive | stores scans and photographs | web 40/4 | objstore
record-export | the record export | hands records to the patient on request | job 10/2 | objstore
audit-trail | the audit trail | notes who looked at which chart | job 120/4 | kafka

# coverage=Coverage; claims=Claims; revenue-cycle=Revenue Cycle
eligibility | the eligibility check | asks insurers whether a visit is covered | rpc 60/4 | redis
claim-filer | the claim filer | submits claims after a visit | job 15/3 | rabbitmq
copay-api | the copay API | collects the patient's share | web 35/3 | postgres
remittance | the remittance reader | matches insurer payments with claims | job 10/3 | postgres
code-assist | the coding assistant | proposes billing codes for a note | rpc 30/3 | redis
"""),
    "retail banking": read_areas("""
# payments=Payments; transfers=Transfers; money-movement=Money Movement
payment-orders | the payment order service | takes in transfers and standing orders | web 140/6 | ledger postgres
instant-rail | the instant rail adapter | clears instant payments in seconds | rpc 110/6 | ledger
batch-clearing | the batch clearing | exchanges files with the clearing house | job 20/3 | objstore
payee-check | the payee check | compares name and account number | rpc 85/4 | redis
direct-debit | the direct debit service | collects on mandates | job 35/4 | postgres

# core-ledger=Core Ledger; bookkeeping=Bookkeeping; balances=Balances
ledger | the ledger | books every movement of money twice | rpc 380/8 | postgres
balance-api | the balance API | shows what is left | web 460/7 | ledger redis
statement-maker | the statement maker | prints monthly statements | job 12/3 | objstore
interest-accrual | the interest accrual | adds interest at the end of the day | job 15/3 | postgres
hold-manager | the hold manager | reserves money for pending purchases | rpc 150/5 | postgres

# cards=Cards; issuing=Card Issuing; card-operations=Card Operations
card-auth | the card authoriser | says yes or no at the till | rpc 290/8 | hold-manager redis
pin-vault | the PIN vault | verifies PINs inside the hardware module | rpc 75/4 | postgres
dispute-desk | the dispute desk | takes in chargebacks | web 12/2 | postgres
wallet-tokens | the wallet token service | puts cards on phones | rpc 40/3 | postgres
card-shipping | the card shipping worker | orders new plastic | job 10/2 | rabbitmq

# lending=Lending; credit=Credit; loans=Loans
loan-quotes | the loan quote service | prices a loan in a minute | web 45/4 | score-card
score-card | the score card | rates an applicant | rpc 60/4 | postgres
repayment-plan | the repayment planner | keeps instalment plans | web 30/3 | postgres
collateral-store | the collateral store | files what secures a loan | web 15/2 | objstore
arrears-worker | the arrears worker | follows up on missed instalments | job 12/3 | rabbitmq

# financial-crime=Financial Crime; risk=Risk; screening=Screening
transaction-monitor | the transaction monitor | looks for laundering patterns | job 160/6 | kafka
watchlist | the watchlist service | matches names with sanctions lists | rpc 90/4 | postgres
device-trust | the device trust service | recognises phones it has seen before | rpc 200/5 | redis
case-manager | the case manager | holds the investigators' cases | web 20/3 | postgres
onboarding-kyc | the onboarding check | verifies passports of new customers | web 18/3 | objstore
"""),
    "ticketing and live events": read_areas("""
# sales=Ticket Sales; box-office=Box Office; on-sale=On-Sale
queue-gate | the queue gate | lets fans into the shop a few at a time | web 850/8 | redis
seat-map | the seat map | shows which seats are free | web 400/6 | seat-locks redis
seat-locks | the seat lock service | holds seats for eight minutes | rpc 330/6 | redis
cart-api | the cart API | keeps tickets until they are paid | web 150/5 | seat-locks
presale-codes | the presale code service | checks codes before the public sale | rpc 120/3 | redis

# venues=Venues; entry=Venue Entry; access-control=Access Control
gate-scan | the gate scanner API | admits a ticket once | rpc 180/6 | redis
turnstile-sync | the turnstile sync | keeps gates working offline | job 40/3 | rabbitmq
floor-plans | the floor plan service | stores venue layouts | web 30/3 | postgres
crowd-counter | the crowd counter | counts people per block | job 60/4 | kafka
staff-passes | the staff pass service | issues crew accreditation | web 12/2 | postgres

# resale=Resale; fan-market=Fan Market; exchange=Ticket Exchange
listing-api | the listing API | offers tickets that fans give back | web 95/4 | postgres
price-guard | the price guard | keeps resale prices under the cap | rpc 70/3 | redis
ownership-ledger | the ownership ledger | moves a ticket from one fan to another | rpc 55/4 | postgres
bid-worker | the bid worker | matches bids with listings | job 25/3 | kafka
seller-payouts | the seller payouts | pays sellers after the show | job 10/2 | postgres

# promoters=Promoter Tools; organisers=Organisers; backstage=Backstage
event-setup | the event setup | creates events and price bands | web 20/3 | postgres
sales-feed | the sales feed | streams sales to promoters | web 110/4 | kafka
settle-show | the show settlement | splits the takings after a show | job 10/2 | postgres
guest-lists | the guest list service | manages comps and guests | web 15/2 | postgres
poster-render | the poster renderer | draws event artwork in all sizes | job 14/3 | objstore

# fans=Fan Experience; discovery=Discovery; engagement=Engagement
event-search | the event search | finds shows near a fan | web 260/5 | elasticsearch redis
setlist-feed | the set list feed | shows what was played | web 60/3 | postgres
ticket-wallet | the ticket wallet | shows the barcode on a phone | web 210/6 | ownership-ledger
alert-me | the on-sale reminder | tells fans when a sale starts | job 80/4 | rabbitmq
lineup-tags | the line-up tagger | links artists with events | rpc 45/3 | postgres
"""),
    "online learning": read_areas("""
# classroom=Classroom; lessons=Lessons; learning=Learning Experience
lesson-player | the lesson player | streams lessons and remembers the position | web 280/6 | objstore redis
whiteboard | the shared whiteboard | synchronises strokes between pupils | rpc 350/6 | redis
attendance | the attendance service | notes who was in class | web 60/3 | postgres
captioner | the captioning worker | writes captions for recorded lessons | job 14/4 | objstore
class-chat | the class chat | carries questions during a lesson | web 190/5 | redis

# assessment=Assessment; exams=Exams; grading=Grading
quiz-api | the quiz API | hands out questions and takes answers | web 170/6 | postgres
auto-marker | the automatic marker | marks short answers | job 50/4 | rabbitmq
proctor-stream | the proctoring stream | collects exam webcams | rpc 130/6 | objstore
plagiarism-scan | the plagiarism scan | compares essays with earlier ones | job 10/4 | objstore
gradebook | the gradebook | keeps marks and feedback | web 75/4 | postgres

# catalogue=Catalogue; content=Course Content; authoring=Authoring
course-search | the course search | finds courses by topic and level | web 150/4 | elasticsearch redis
author-studio | the author studio | is where teachers build courses | web 40/3 | postgres
media-encoder | the media encoder | prepares uploaded video | job 12/4 | objstore
syllabus-graph | the syllabus graph | knows which topic builds on which | rpc 95/3 | redis
review-queue | the review queue | holds new courses until an editor approves | job 10/2 | rabbitmq

# enrolment=Enrolment; schools=School Services; campus=Campus Integrations
enrol-api | the enrolment API | signs pupils up for classes | web 50/4 | seat-quota postgres
seat-quota | the seat quota service | counts licences per school | rpc 80/3 | postgres
roster-sync | the roster sync | imports class lists from schools | job 20/3 | rabbitmq
parent-portal | the parent portal | shows parents how it is going | web 65/3 | gradebook
timetable | the timetable service | avoids two lessons at once | rpc 45/3 | postgres

# motivation=Motivation; growth=Growth; learner-success=Learner Success
streak-counter | the streak counter | counts days of practice in a row | rpc 140/4 | redis
badge-worker | the badge worker | awards badges | job 45/3 | kafka
practice-picker | the practice picker | chooses the next exercise | rpc 160/5 | redis
nudge-planner | the nudge planner | decides when to remind a learner | job 30/3 | kafka
leader-tables | the leader tables | ranks classes every week | web 70/3 | redis
"""),
    "music streaming": read_areas("""
# playback=Playback; player=Player; streaming=Streaming
track-locator | the track locator | tells players where a track is stored | rpc 620/8 | redis
licence-keys | the licence key service | hands out decryption keys | rpc 410/6 | postgres
play-queue | the play queue | remembers what comes next | web 300/6 | redis
listen-log | the listening log | counts every play over thirty seconds | job 200/6 | kafka
offline-sync | the offline sync | prepares downloads | web 90/4 | objstore

# library=Library; collections=Collections; catalogue=Catalogue
track-meta | the track metadata service | knows titles, credits and lengths | rpc 480/6 | redis
album-art | the cover art service | serves covers in every size | web 360/5 | objstore
playlist-api | the playlist API | creates and shares playlists | web 210/5 | postgres
lyrics-sync | the lyrics service | shows the line that is being sung | web 130/4 | redis
ingest-labels | the label delivery intake | reads deliveries from record labels | job 15/4 | objstore

# recommendations=Recommendations; taste=Taste; discovery=Discovery
daily-mix | the daily mix builder | composes a fresh mix every night | job 25/4 | kafka
similar-tracks | the similarity service | finds tracks that sound alike | rpc 190/5 | redis
radio-seeds | the radio service | starts a station from a song | web 110/4 | similar-tracks
taste-profile | the taste profile | sums up what someone likes | rpc 230/5 | redis
skip-model | the skip model | learns from skipped songs | job 70/4 | kafka

# royalties=Royalties; rights=Rights; artist-services=Artist Services
royalty-split | the royalty split | divides income between rights holders | job 12/3 | postgres
usage-report | the usage reporter | reports plays to collecting societies | job 10/3 | objstore
rights-check | the rights check | knows where a track may be played | rpc 270/5 | redis
artist-portal | the artist portal | shows artists their numbers | web 45/3 | postgres
payout-batch | the payout batch | pays artists once a month | job 10/2 | postgres

# subscriptions=Subscriptions; billing=Billing; membership=Membership
plan-api | the plan API | changes plans and family members | web 55/4 | postgres
renewal-worker | the renewal worker | renews subscriptions at night | job 30/3 | rabbitmq
gift-codes | the gift code service | redeems gift cards | rpc 20/2 | postgres
trial-guard | the trial guard | allows one free trial per person | rpc 35/3 | redis
receipt-check | the store receipt check | verifies purchases from app stores | web 40/3 | postgres
"""),
    "online games": read_areas("""
# matchmaking=Matchmaking; lobbies=Lobbies; session-play=Session Play
match-finder | the match finder | groups players of equal skill | rpc 240/6 | skill-rating redis
lobby-gw | the lobby gateway | keeps party connections open | web 390/6 | redis
skill-rating | the skill rating | updates ratings after a match | rpc 120/4 | postgres
server-allocator | the server allocator | starts and hands out game servers | rpc 70/4 | redis
replay-store | the replay store | saves match recordings | job 35/4 | objstore

# economy=Game Economy; shop=Item Shop; inventory-team=Inventory
item-shop | the item shop | sells skins and passes | web 140/5 | player-wallet postgres
player-wallet | the player wallet | holds in-game currency | rpc 160/5 | postgres
inventory | the inventory service | knows what a player owns | rpc 330/6 | postgres
loot-roller | the loot roller | decides what is in a crate | rpc 85/4 | redis
trade-post | the trade post | swaps items between players | web 60/3 | inventory

# social=Social; community=Community; presence-team=Presence
friend-graph | the friend graph | knows who is friends with whom | rpc 280/5 | redis
presence | the presence service | shows who is online | rpc 560/7 | redis
guild-api | the guild API | runs clans and their ranks | web 75/3 | postgres
voice-relay | the voice relay | mixes party voice | rpc 170/6 | redis
chat-filter | the chat filter | stops abuse before it is read | rpc 310/5 | redis

# live-ops=Live Operations; seasons=Seasons; game-events=Game Events
season-pass | the season pass service | tracks progress through a season | web 130/4 | postgres
quest-board | the quest board | gives out daily quests | rpc 150/4 | redis
patch-notes | the patch notes service | tells launchers what is new | web 100/3 | objstore
ban-worker | the ban worker | applies and lifts bans | job 15/3 | rabbitmq
tournament-api | the tournament API | runs brackets | web 40/3 | postgres

# fair-play=Fair Play; anti-cheat=Anti-Cheat; integrity=Integrity
cheat-signals | the cheat signal intake | collects reports from game clients | job 220/6 | kafka
aim-model | the aim model | scores suspicious aim | rpc 65/4 | redis
appeal-desk | the appeal desk | takes in appeals against bans | web 10/2 | postgres
hash-check | the file hash check | verifies game files | rpc 110/4 | redis
report-sorter | the report sorter | groups player reports by match | job 40/3 | kafka
"""),
    "electricity and smart metering": read_areas("""
# metering=Metering; meter-data=Meter Data; head-end=Head-End
meter-intake | the meter reading intake | accepts quarter-hour readings | web 700/8 | kafka
gap-filler | the gap filler | estimates readings that never came | job 60/4 | kafka
meter-commands | the meter command service | switches meters on and off | rpc 40/4 | rabbitmq
firmware-push | the firmware service | updates meters overnight | job 25/3 | objstore
reading-api | the reading API | shows customers what they used | web 150/5 | postgres

# grid=Grid Operations; network-control=Network Control; balancing=Balancing
load-forecast | the load forecast | predicts demand per district | rpc 45/4 | redis
outage-map | the outage map | shows where the lights are out | web 200/5 | redis
feeder-state | the feeder state service | knows which switches are closed | rpc 180/6 | redis
flex-dispatch | the flexibility dispatch | asks batteries to charge or discharge | rpc 70/4 | rabbitmq
fault-sorter | the fault sorter | groups alarms by cable | job 50/4 | kafka

# tariffs=Tariffs; products=Energy Products; pricing=Pricing
tariff-engine | the tariff engine | prices every quarter of an hour | rpc 210/5 | postgres
spot-prices | the spot price feed | publishes tomorrow's prices | web 80/3 | redis
offer-api | the offer API | quotes a contract for an address | web 55/4 | tariff-engine
solar-credits | the solar credit service | credits what roofs feed in | job 20/3 | postgres
price-cap | the price cap check | applies regulated limits | rpc 65/3 | postgres

# customer-billing=Customer Billing; invoicing=Invoicing; receivables=Receivables
bill-run | the bill run | produces bills district by district | job 15/4 | postgres objstore
deposit-plan | the deposit planner | adjusts monthly payments | rpc 30/3 | postgres
move-in-out | the move service | handles people who move house | web 20/3 | postgres
dunning-worker | the dunning worker | reminds late payers | job 10/2 | rabbitmq
bank-match | the bank matcher | matches incoming money with bills | job 18/3 | postgres

# mobility=E-Mobility; charging=Charging; chargepoints=Charge Points
charge-gw | the charge point gateway | keeps sockets to charging stations open | web 320/6 | redis
plug-auth | the plug authoriser | recognises cars and cards | rpc 90/5 | postgres
session-rater | the session rater | prices a charging session | job 35/3 | kafka
roaming-hub | the roaming hub | settles with other networks | web 50/4 | rabbitmq
station-finder | the station finder | shows free chargers nearby | web 170/4 | redis
"""),
    "travel booking": read_areas("""
# search=Search; fares=Fares; shopping=Travel Shopping
fare-search | the fare search | asks carriers for seats and prices | web 340/8 | fare-cache
fare-cache | the fare cache | remembers fares for a few minutes | rpc 780/8 | redis
hotel-search | the hotel search | lists rooms for two dates | web 250/6 | elasticsearch redis
date-grid | the date grid | shows the cheapest day of a month | web 120/4 | fare-cache
sort-model | the ranking model | decides what travellers see first | rpc 190/5 | redis

# bookings=Bookings; reservations=Reservations; trips=Trips
booking-core | the booking core | turns an offer into a booking | web 65/5 | postgres
ticket-issue | the ticket issuer | issues tickets after payment | job 25/4 | rabbitmq
seat-picker | the seat picker | reserves seats on board | web 70/4 | redis
change-desk | the change desk | rebooks and cancels | web 30/3 | booking-core
trip-view | the trip view | shows an itinerary in one place | web 160/5 | booking-core

# supply=Supply; connectivity=Supplier Connectivity; inventory=Inventory
room-inventory | the room inventory | counts rooms left | rpc 290/6 | postgres
rate-sync | the rate sync | loads prices from hotels | job 110/5 | kafka
carrier-links | the carrier link service | speaks to airlines and railways | rpc 230/6 | redis
property-import | the property import | reads descriptions and photos | job 14/3 | objstore
allotments | the allotment service | manages rooms held for groups | web 20/2 | postgres

# traveller-care=Traveller Care; disruption=Disruption; assistance=Assistance
delay-watch | the delay watch | learns of delays before travellers do | job 55/4 | kafka
rebook-bot | the rebooking assistant | finds another connection | rpc 40/4 | carrier-links
refund-api | the refund API | tells people what they get back | web 35/3 | postgres
voucher-bank | the voucher bank | keeps travel vouchers | rpc 25/3 | postgres
call-router | the call router | sends calls to the right desk | web 20/3 | redis

# loyalty=Loyalty; rewards=Rewards; members=Members
points-ledger | the points ledger | books points and miles | rpc 110/5 | postgres
tier-worker | the tier worker | promotes and demotes members | job 12/3 | postgres
perk-api | the perk API | shows upgrades and lounges | web 50/3 | points-ledger
partner-accrual | the partner accrual | takes in points from partners | job 20/3 | kafka
member-card | the member card service | shows a card on a phone | web 75/3 | redis
"""),
    "precision farming": read_areas("""
# sensing=Sensing; field-data=Field Data; devices=Devices
probe-intake | the soil probe intake | takes in moisture and temperature | web 410/6 | kafka
station-gw | the weather station gateway | polls stations in the field | rpc 120/4 | rabbitmq
frame-decoder | the radio frame decoder | unpacks long-range radio frames | job 150/5 | kafka
device-registry | the device registry | knows which probe stands where | rpc 90/3 | postgres
battery-watch | the battery watch | finds probes that will die soon | job 20/2 | redis

# imagery=Imagery; remote-sensing=Remote Sensing; maps=Maps
tile-server | the tile server | serves field maps | web 330/5 | objstore
scene-fetcher | the scene fetcher | downloads satellite scenes | job 12/3 | objstore
index-maker | the vegetation index worker | computes plant health maps | job 18/4 | objstore
boundary-api | the boundary API | stores field outlines | web 45/3 | postgres
drone-upload | the drone upload | accepts flights from drones | web 25/4 | objstore

# irrigation=Irrigation; water=Water; pumps=Pumps and Valves
valve-control | the valve control | opens and closes valves | rpc 55/5 | rabbitmq
water-planner | the water planner | plans the night's irrigation | rpc 30/3 | redis
pump-telemetry | the pump telemetry | watches pressure and flow | job 130/5 | kafka
quota-meter | the water quota meter | compares use with the permit | job 15/2 | postgres
leak-finder | the leak finder | notices water that goes nowhere | job 25/3 | kafka

# agronomy=Agronomy; advice=Crop Advice; models=Crop Models
growth-model | the growth model | predicts the stage of a crop | rpc 70/4 | redis
pest-alerts | the pest alert service | warns of aphids and blight | job 20/3 | rabbitmq
spray-window | the spray window service | says when the wind is right | web 85/3 | redis
yield-report | the yield report | sums up a harvest | job 10/2 | objstore
seed-advisor | the seed advisor | proposes varieties for a field | web 35/3 | postgres

# marketplace=Marketplace; co-op=Co-op Services; trading=Grain Trading
grain-quotes | the grain quote service | publishes prices at the silo | web 95/4 | redis
delivery-slips | the delivery slip service | books a truck over the scales | web 40/3 | postgres
silo-levels | the silo level service | knows how full each silo is | rpc 60/3 | postgres
contract-desk | the contract desk | writes forward contracts | web 15/2 | postgres
member-statements | the member statement worker | mails members their year | job 10/2 | objstore
"""),
    "second-hand marketplace": read_areas("""
# listings=Listings; sellers=Seller Experience; supply=Supply
listing-write | the listing writer | saves what people want to sell | web 85/4 | postgres
photo-resize | the photo resizer | makes thumbnails | job 70/5 | objstore
category-guess | the category model | guesses what is in a photo | rpc 60/4 | redis
price-hint | the price hint | says what similar things sold for | rpc 75/3 | redis
expiry-sweeper | the expiry sweeper | takes down old listings | job 20/2 | postgres

# browse=Browse; search=Search; buyers=Buyer Experience
item-search | the item search | finds things by word and place | web 420/7 | elasticsearch redis
home-feed | the home feed | fills the first screen | web 360/6 | redis
saved-searches | the saved search worker | looks for new matches | job 90/4 | kafka
item-page | the item page API | shows one item | web 510/7 | postgres
near-me | the distance service | sorts by how far away it is | rpc 240/4 | redis

# deals=Deals; offers=Offers; transactions=Transactions
bid-api | the bid API | carries bids and counter-bids | web 110/4 | postgres
escrow | the escrow service | holds money until the parcel arrives | rpc 50/4 | postgres
payout-worker | the payout worker | pays sellers | job 15/3 | rabbitmq
buyer-protect | the buyer protection desk | settles disputes | web 12/2 | postgres
fee-rules | the fee rules | works out the commission | rpc 95/3 | redis

# shipping=Shipping; parcels=Parcels; delivery=Delivery
label-maker | the label maker | buys shipping labels | web 40/4 | objstore
parcel-events | the parcel event intake | follows parcels through carriers | job 130/5 | kafka
pickup-points | the pickup point finder | finds lockers nearby | web 90/3 | redis
carrier-quotes | the carrier quote service | compares carriers | rpc 65/3 | redis
return-flow | the return service | handles things that come back | web 18/2 | postgres

# safety=Safety; moderation=Moderation; integrity=Integrity
image-review | the image review worker | spots forbidden items | job 65/4 | objstore
scam-score | the scam score | reads chats for known tricks | rpc 150/5 | redis
report-intake | the report intake | takes in complaints | web 25/3 | postgres
ban-list | the ban list | knows who must stay out | rpc 210/4 | redis
appeals-api | the appeals API | gives banned sellers a hearing | web 10/2 | postgres
"""),
    "public transport": read_areas("""
# journeys=Journeys; planner=Journey Planner; passenger-info=Passenger Information
journey-plan | the journey planner | finds the way from door to door | web 260/6 | timetable-store redis
timetable-store | the timetable store | answers when a bus leaves | rpc 440/6 | postgres
departure-board | the departure board API | fills the screens at stops | web 380/6 | live-delays
live-delays | the live delay service | knows how late everything is | rpc 300/6 | redis
stop-search | the stop search | finds stops by name | web 140/4 | elasticsearch redis

# ticketing=Ticketing; fares=Fare Collection; revenue=Revenue
tap-intake | the tap intake | records taps at validators | web 540/8 | kafka
fare-capper | the fare capper | never charges more than a day ticket | job 95/5 | postgres
pass-api | the pass API | sells monthly passes | web 45/4 | postgres
inspector-api | the inspector API | tells inspectors whether a ticket is good | rpc 60/4 | redis
revenue-split | the revenue split | shares income between operators | job 10/2 | postgres

# fleet=Fleet; vehicles=Vehicles; depot=Depot Systems
vehicle-feed | the vehicle feed | takes in positions of buses and trams | web 620/7 | kafka
depot-plan | the depot planner | parks buses for the night | web 15/2 | postgres
defect-book | the defect book | notes what drivers report | web 20/2 | postgres
door-sensor | the door sensor worker | counts boardings | job 110/4 | kafka
charge-plan | the charging planner | charges electric buses by morning | rpc 25/3 | redis

# control=Control Centre; operations=Operations; line-control=Line Control
headway-watch | the headway watch | notices bunching | job 75/4 | redis
detour-editor | the detour editor | publishes diversions | web 12/2 | postgres
driver-radio | the driver messaging service | carries messages to cabs | rpc 85/4 | rabbitmq
crew-duty | the crew duty service | assigns drivers to duties | web 30/3 | postgres
alarm-desk | the alarm desk | shows emergency calls to controllers | web 20/4 | redis

# open-data=Open Data; integrations=Integrations; partners=Partner Feeds
feed-export | the feed exporter | publishes timetables for others | job 12/2 | objstore
realtime-push | the realtime push | streams delays to other apps | web 210/5 | live-delays
bike-share | the bike share link | shows free bikes at stations | rpc 95/3 | redis
park-ride | the park and ride service | counts free parking spaces | web 50/3 | redis
crowding-api | the crowding API | says how full the next train is | web 120/4 | redis
"""),
}
