/**
 * Synonyms, written by hand: everyday English.
 * Bars separate groups; a line break is a space unless a bar precedes it.
 */
export const SYNONYMS = `
child kid toddler infant baby son daughter|mother mom parent|father dad parent|parent mom dad mother father folk|
grandma nana|grandpa granddad|wife husband spouse partner|girlfriend boyfriend partner date|marry wedding marriage
bride groom spouse engage|divorce separate split breakup|brother sister sibling|family relative household|friend
buddy pal mate companion|neighbor neighbour neighborhood|coworker colleague teammate|boss manager supervisor|job work
career occupation profession employ employment position role|hire employ recruit|fire layoff dismiss redundant
unemployed|quit resign leave|retire retirement pension|promote promotion raise|business company firm startup
enterprise shop store venture|shop store boutique market mall|customer client buyer|office workplace|school college
university academy campus|student pupil classmate learner|teacher instructor tutor professor coach mentor educator|
study learn course class lesson training|degree diploma graduate graduation certificate|exam test quiz|education
school study degree|research study investigate explore|read book novel story|author writer novelist|write writing
author journal draft script|poem poetry poet verse|book novel memoir biography|movie film cinema|show series episode|
play theater theatre drama stage|song music tune melody track|musician singer band artist performer|concert gig
festival show performance|dance dancer ballet choreography|paint painting painter canvas|draw drawing sketch|art
artwork painting sculpture craft|photo camera image snapshot|game gaming play|sport athletic athlete exercise|
exercise workout gym fitness train training|run jog marathon race sprint|race marathon competition|walk hike stroll
trek trail|hike trail trek mountain|bike cycle ride|swim pool|camp camping tent campfire|team squad club|win victory
champion championship trophy prize award|award prize trophy medal honor|lose loss defeat|competition contest
tournament match championship|score point goal|goal aim objective target dream ambition aspiration|hobby pastime
interest activity passion leisure|trip travel journey vacation holiday tour visit getaway|travel trip visit fly tour
abroad|vacation holiday trip getaway|flight plane fly airport|hotel hostel lodge resort airbnb|abroad overseas
foreign|country nation homeland|city town village|home house apartment flat place residence|move relocate relocation|
rent lease landlord tenant|live reside stay|room bedroom kitchen bathroom|furniture sofa couch table chair desk shelf|
garden yard backyard plant flower|plant flower tree|fix repair mend restore|build construct create make|make create
craft produce|design designer pattern|car vehicle auto automobile truck van|drive road driver|accident crash
collision|train railway subway metro|boat ship sail|food meal dish cuisine eat|eat meal dine lunch dinner breakfast|
cook cooking bake recipe meal chef|bake cake cookie pastry bread|recipe ingredient dish|dessert sweet cake pie cookie|
drink beverage|coffee espresso latte cafe|cafe restaurant diner bar|restaurant diner eatery|alcohol wine beer
cocktail|diet nutrition vegan vegetarian healthy|allergy allergic|dog puppy pup canine|cat kitten|pet dog cat animal|
animal wildlife creature|bird parrot|vet clinic|health healthy medical wellness|doctor physician surgeon medical|
nurse hospital caregiver|hospital clinic surgery emergency|ill sick illness disease unwell|injury injure hurt wound
sprain fracture|pain ache sore|medicine medication pill drug prescription|therapy therapist counsel counselor
counseling psychologist|anxiety anxious worry nervous panic|stress stressful pressure overwhelm burnout|
relax relaxation unwind calm chill rest|meditate meditation yoga mindfulness|sleep rest nap insomnia|tired
exhausted fatigue|depress depression sad unhappy down|happy glad joy delight cheerful happiness|excited thrilled
stoked eager enthusiastic|proud pride|angry mad upset annoyed furious|fear afraid scare scary frighten|surprise shock
unexpected|love adore enjoy fond|like enjoy love prefer|hate dislike|fave prefer love|prefer preference|hope wish
dream|want wish desire|plan intend arrange schedule|decide decision choose choice|choose pick select option|start
begin launch open found|stop quit finish end|finish complete end|end finish final|try attempt|achieve accomplish
accomplishment achievement success milestone|success successful succeed achievement|fail failure setback|problem
issue challenge difficulty trouble obstacle struggle hurdle|difficult hard tough challenge|easy simple|important
significant matter key crucial vital|meaning mean symbol symbolize represent signify|symbol represent logo emblem|
advice advise tip suggest suggestion recommend|recommend suggest recommendation|help assist support aid|support
encourage encouragement help|volunteer charity community help|charity donate donation fundraiser nonprofit|donate
give donation contribute|attend participate join go visit|participate join attend involve|join member sign
enroll|event gathering festival ceremony|party celebration celebrate|celebrate celebration party birthday anniversary|
birthday anniversary|gift present receive|receive get gift|buy purchase shop order|purchase buy acquire|sell sale|
cost price expensive pay|money cash finance financial fund savings income salary|bank loan debt mortgage|cheap
affordable budget|save savings|meet encounter introduce|talk speak chat conversation discuss|speech talk presentation
speak|tell say mention|ask question request|answer reply respond|call phone ring|email mail message letter|internet
online web website|computer laptop pc|phone smartphone mobile|software app program application|code program
programming developer coding|bug error issue defect failure crash|deploy release launch ship|delete remove erase|
change modify update alter switch|create make add build|server host machine|database postgres sqlite mysql|password
credential login|news report article|religion faith church spiritual|church temple mosque|pray prayer|belief believe
faith value|politics political election vote government|law legal lawyer attorney court|police officer|army military
soldier veteran|war battle conflict|environment nature climate sustainable|nature outdoors forest wilderness scenery|
beach sea ocean coast shore|lake river pond|mountain hill peak|weather rain storm snow|storm hurricane flood|night
evening|morning dawn sunrise|sunset dusk|clothes clothing outfit wear dress fashion|wear outfit dress|shoe sneaker
boot|jewelry necklace ring bracelet earring|hair haircut hairstyle|beautiful pretty gorgeous lovely|big large huge|
small little tiny|old elderly ancient|new recent latest|unique special|favorite best|funny humor joke comedy|fun
enjoy|kind sort type genre style|style genre|trait personality character quality|identity gender self|gay lesbian
lgbtq queer transgender|origin root native hometown heritage|hometown native|inspire inspiration motivate motivation|
motivate motivation inspire drive|reason because why motivation|result outcome|effect impact influence|improve better
enhance|grow growth develop development|learn discover|find discover|remember memory remind reminder|memory keepsake
souvenir|forget miss|collect collection|own possess have|keep store save|hobby collect|lose miss|break broken damage|
adopt adoption foster|pregnant pregnancy birth baby expecting|die death pass funeral grief loss mourn|funeral grave
memorial|age old year|young youth teen teenager|group club team organization|organization foundation nonprofit
institution|leader lead head|project program initiative|idea concept thought|opinion think view believe|feel feeling
emotion|react reaction respond response|offer opportunity deal|contract deal agreement sign|endorse sponsor
sponsorship brand|brand company|advertise advertising ad marketing campaign promote|tradition custom ritual|routine
habit daily|habit routine practice|practice train rehearse|skill ability talent|creative creativity imagination|
material fabric wood metal clay|pottery ceramic clay|knit sew crochet|obtain get receive acquire|cope handle manage
deal overcome|overcome beat conquer|pursue follow chase seek|consider think|describe explain express|express share
show|bond connect connection relationship|relationship partner date couple marriage|organize host hold arrange throw|
host organize hold|perform performance stage act|act actor acting actress|compete competition rival|apply application
submit|interview candidate|adjust adapt settle|disappointed disappointment upset let|grateful thankful appreciate
gratitude|admire respect proud|calm peaceful soothing serene quiet|confident confidence|brave courage courageous bold|
compassion kindness empathy care|care caring nurse tend|protect safe safety security|rescue save shelter|shelter
homeless rescue|poor poverty need|rich wealthy wealth|country nation serve military|equality rights justice
inclusion|diverse diversity inclusion|community neighborhood local|public community|local nearby neighborhood|far
distance remote|early beginning|late delay|often frequent regular usually|always never|schedule calendar appointment|
appointment visit meeting|meeting conference call|conference convention summit workshop|workshop seminar class|
presentation slide talk|exhibit exhibition gallery museum show|museum gallery exhibit|publish publication release|
magazine newspaper article journal|blog vlog post|video film clip youtube|channel stream youtube video|social media
instagram facebook twitter|follow follower fan|fan supporter admirer|celebrity star famous|famous popular|hero role
idol|character protagonist hero|plot story|story tale|scene scenery view|view scenery landscape|landscape scenery|
picnic barbecue bbq|grill barbecue bbq|dairy lactose milk cheese|gluten wheat|spicy hot|taste flavor flavour
delicious yummy|delicious tasty yummy|hungry starve|weight obese overweight diet|fit shape fitness|strength strong
muscle|weak weakness|balance harmony|mental psychological mind|mind brain|heart cardiac|cancer tumor|diagnose
diagnosis symptom|recover recovery heal rehab|surgery operation|checkup doctor appointment|smoke cigarette vape|
addict addiction|habit addiction|drunk alcohol|climb rock mountain|ski snowboard slope|surf wave|skate skateboard
rink|fish fishing|hunt hunting|kayak canoe raft paddle|dive scuba snorkel|court field stadium arena|coach trainer|
referee umpire|league division|season championship|player athlete|ball basketball football|gear equipment|equipment
tool gear|engine motor mechanic|mechanic garage repair|garage workshop|restore restoration renovate|renovate remodel|
decor decorate decoration|decorate decoration ornament|cozy comfortable comfy|clean tidy wash|laundry wash|cleanup
clean trash litter|recycle sustainable|pollution waste|energy power|electric electricity|solar renewable|fire burn
flame|candle light|light lamp bright|dark night|star astronomy telescope sky|space astronaut planet|moon lunar|meteor
comet|sun sunshine sunny|rain umbrella|snow ski winter|cold freezing chilly|hot heat warm|spring bloom blossom|autumn
fall leaf|holiday christmas thanksgiving easter|costume halloween|fireworks parade|parade pride march|march protest
demonstration|protest rally activism|activist activism advocate advocacy|campaign run election|elect vote|president
leader|volunteer serve service|service serve|soldier army|immigrant immigration visa refugee|visa passport|language
fluent speak translate|accent dialect|culture cultural tradition heritage|heritage ancestor root|ancestor descend|
religious church faith|priest pastor|angel god|wisdom wise|luck lucky fortune|chance opportunity possibility|possible
maybe potential|future plan upcoming|past history previous|history historical heritage|childhood kid young grow|teen
teenager adolescent|adult grown|elderly senior old|twin sibling|cousin relative|uncle aunt|guest visitor|stranger
unknown|roommate flatmate|landlord rent|couple pair partner|single alone|alone lonely solitude isolate|crowd audience|
audience crowd viewer|noise loud|silence quiet|argue argument fight disagree quarrel|agree agreement|promise commit
vow|trust honest honesty|lie dishonest|secret private|mistake error wrong|correct right|sorry apologize apology|
forgive apology|blame fault|danger dangerous risk|risk gamble|safe secure|theft steal rob robbery|stolen theft|lost
missing|search look seek|locate find location|location place spot area|spot place|area region|border edge|road street
highway|road trip drive|bridge river|island beach|desert sand|forest wood tree|park playground|playground
park slide|zoo aquarium|farm farmer barn ranch|horse ride|wood lumber carve|carve sculpture|sculpture statue|statue
monument|tower skyscraper|castle palace|tattoo piercing ink|makeup cosmetic|hairdresser salon|outfit costume|fabric
cloth textile|bag backpack purse|glasses lens|watch clock|key lock|box package|package deliver delivery|deliver
delivery|toy doll|teddy stuffed plush|doll toy|puzzle jigsaw|card poker|chess board|lego brick|robot robotics|science
scientist lab|math mathematics|engineer engineering|physics chemistry|medicine doctor|psychology mental|philosophy
philosopher|economy economic|invest investment investor stock|stock share|tax revenue|profit revenue|loss debt|
insurance claim|bill payment|pay payment|salary wage pay|intern internship|resume cv|deadline due|task assignment
chore|chore clean|homework assignment|grade score mark|scholarship grant|dorm campus
`
