/**
 * Terms and their kinds or instances, written by hand: everyday English.
 * Bars separate groups; the term is before the colon.
 */
export const HYPONYMS = `
instrument: guitar piano violin drum flute clarinet saxophone trumpet cello bass keyboard ukulele harp banjo|pet: dog
cat puppy kitten hamster rabbit bunny turtle fish parrot snake lizard guinea goldfish|animal: dog cat horse cow bird
bear lion tiger elephant monkey wolf fox deer sheep pig goat rabbit snake turtle fish whale dolphin|sport: football
soccer basketball baseball tennis golf hockey volleyball rugby cricket swim run surf ski snowboard skate box climb
cycle martial karate yoga gymnastics|hobby: paint draw read write cook bake garden hike camp fish photography knit
sew dance sing play collect pottery chess puzzle yoga|activity: hike camp swim paint read cook dance run bike yoga
fish surf ski museum park picnic|exercise: yoga run jog swim cycle lift weight pilates aerobics boxing kickboxing|
country: usa america canada mexico brazil argentina england britain uk scotland ireland france germany spain portugal
italy greece sweden norway denmark finland poland russia turkey egypt morocco kenya nigeria india china japan korea
thailand vietnam indonesia australia zealand switzerland austria netherlands belgium|city: york angeles chicago
boston seattle francisco miami vegas london paris rome berlin madrid barcelona amsterdam vienna prague tokyo toronto
vancouver sydney dublin lisbon istanbul dubai singapore|state: california texas florida oregon washington colorado
nevada arizona ohio michigan virginia georgia carolina minnesota|place: park beach museum city country mountain lake
restaurant cafe|travel: paris london rome tokyo spain italy japan france europe asia africa|color: red blue green
yellow orange purple pink black white brown gray grey gold silver|food: pizza pasta burger sushi salad soup sandwich
taco steak chicken rice bread cheese fish vegetable fruit noodle curry|fruit: apple banana orange grape strawberry
blueberry mango peach pear cherry pineapple lemon|vegetable: carrot tomato potato onion pepper broccoli spinach
lettuce|dessert: cake pie cookie chocolate brownie pudding cupcake icecream cream tart|snack: chip cookie popcorn nut
candy chocolate fruit|drink: coffee tea wine beer juice soda water smoothie cocktail|meal: breakfast lunch dinner
brunch supper|relative: aunt uncle cousin grandma grandpa niece nephew brother sister|sibling: brother sister|family:
mom dad brother sister son daughter wife husband kid parent wedding reunion dinner picnic|job: teacher nurse doctor
engineer lawyer waiter chef manager accountant designer writer developer counselor mechanic artist banker cashier
clerk intern|art: paint draw sculpture pottery photography sketch watercolor mural|music: rock jazz classical pop hip
hop blues country folk metal rap|genre: comedy drama thriller romance fantasy horror mystery action scifi adventure|
movie: trilogy sequel actor director scene|book: chapter novel fantasy mystery series author|vehicle: car truck van
bus motorcycle bike boat plane|clothes: shirt dress jacket shoe jeans hat coat skirt sweater hoodie|jewelry: necklace
ring bracelet earring pendant|device: phone laptop computer tablet camera watch console|console: playstation xbox
nintendo switch|game: chess card board video console rpg puzzle|illness: flu cold cancer diabetes asthma fever
infection covid|condition: asthma diabetes allergy arthritis anxiety|injury: ankle knee wrist back sprain fracture
broken|health: weight diet sleep exercise doctor blood heart|emotion: happy sad angry afraid proud nervous excited
grateful lonely|feel: happy sad proud nervous excited grateful relieved scared amazing awesome great overwhelmed|
weather: rain snow sun storm wind hot cold|season: spring summer autumn fall winter|holiday: christmas thanksgiving
easter halloween hanukkah|event: festival parade concert wedding conference workshop fair fundraiser exhibition show
competition tournament|class: yoga pottery cooking dance art painting|degree: bachelor master phd major engineering
science business law medicine psychology|school: class grade teacher homework student|subject: math history science
english biology physics chemistry|furniture: sofa couch table chair desk bed shelf lamp|plant: rose tulip cactus
succulent orchid lily tomato herb basil sunflower|flower: rose tulip lily sunflower daisy orchid|insect: bee
butterfly ant spider|toy: doll lego puzzle teddy|tool: hammer drill saw wrench|payment: card cash check transfer|
charity: shelter homeless donate food drive fundraiser hospital|volunteer: shelter homeless charity soup kitchen|
politics: mayor senator president policy vote|military: army navy marine veteran soldier|religion: christian catholic
muslim jewish buddhist hindu church bible|language: english spanish french german italian chinese japanese portuguese
korean arabic|time: hour minute morning evening week month|pastime: read game movie music cook|outdoors: hike camp
beach park mountain forest lake trail|disability: wheelchair deaf blind|feeling: happy sad proud nervous excited
grateful relieved scared anxious|mood: happy sad cheerful gloomy|medium: oil watercolor acrylic charcoal pastel|
craft: knit sew pottery woodwork crochet origami|dance: ballet salsa tango hip hop contemporary tap jazz|martial:
karate judo taekwondo jiu|gear: tent backpack boot helmet|appliance: fridge oven microwave dishwasher|building: house
tower church school hospital castle|room: kitchen bedroom bathroom living garage attic basement|body: arm leg back
knee head neck shoulder hand foot|trait: kind honest brave caring thoughtful funny creative patient loyal generous
|quality: kind honest loyal patient|personality: kind caring thoughtful shy outgoing confident honest|
gift: necklace book card flower toy watch painting|present: necklace book card flower toy watch|item: shoe dress
shirt book bag toy lamp|purchase: shoe dress shirt car house laptop|collect: coin stamp record
vinyl card|collection: coin stamp record vinyl book|platform: youtube instagram tiktok twitter facebook
twitch|media: instagram facebook twitter tiktok youtube|app: phone software android ios|programming: python java
javascript typescript rust|framework: react angular vue django rails|database: postgres sqlite mysql mongodb redis|
cloud: aws azure gcp|profession: teacher nurse doctor engineer lawyer chef writer designer developer artist|career:
teacher nurse doctor engineer lawyer counselor writer designer developer artist actor|field: engineering science
psychology medicine law art counseling|natural: hurricane flood earthquake wildfire tornado|disaster: hurricane flood
earthquake wildfire tornado storm|superhero: batman superman spider marvel|breed: retriever shepherd poodle bulldog
labrador beagle husky|shape: circle square triangle heart star|kid: school toy playground|child: son daughter baby
toddler|visit: museum park beach city country|trip: beach mountain camp road flight hotel|vacation: beach island
cruise hotel resort|nature: forest mountain lake river beach waterfall hike|relax: bath yoga read music walk meditate|
unwind: bath yoga read music walk meditate|stress: yoga meditate run therapy breathe|fitness: gym run yoga weight|
tradition: christmas thanksgiving dinner annual|celebrate: birthday wedding anniversary graduation party cake|
ceremony: wedding graduation funeral|achievement: win award graduate publish promotion finish|milestone: graduate
wedding birthday anniversary|beverage: soda coffee tea juice beer|dish: pasta soup salad curry stew casserole roast
lasagna|ingredient: flour sugar egg butter milk salt chocolate garlic|cuisine: italian mexican chinese indian thai
japanese french
`
