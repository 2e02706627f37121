/** A question and a statement that answers it without a common content word. */
export type Probe = readonly [question: string, answer: string]

/**
 * Pairs that measure an embedder, four for each of twelve subjects. Comparing letters or words finds nothing here,
 * averaging word meanings finds the subject, and only reading sentences finds the answer.
 */
export const PROBES: readonly Probe[] = [
  ['Which illness runs in her family?', 'Mum and both my aunts were diagnosed with diabetes in their fifties.'],
  ['Why must he not eat peanut butter?', 'Nuts make my throat swell up, so I carry an adrenaline pen.'],
  ['How did the operation go?', 'The surgeon is happy, and they let me leave hospital on Thursday.'],
  ['What does she do to stay fit?', 'I swim forty lengths before breakfast and lift weights twice a week.'],

  ['What is his favourite dish?', 'Nothing beats a plate of lasagne, I could have it every night.'],
  ['Does she drink alcohol?', 'I gave up wine and beer two years ago.'],
  ['Who did the cooking at the party?', 'My neighbour stood at the grill all evening, feeding thirty guests.'],
  ['Is anyone in the group vegetarian?', 'Priya has not touched meat since she was little.'],

  ['Where did they go on holiday?', 'We spent a fortnight by the sea in Portugal.'],
  ['How does he get to the office?', 'I take the tram, then walk the last half mile to my desk.'],
  [
    'What is she studying before the move abroad?',
    'My evening class in Norwegian starts soon, since Oslo is the new home.',
  ],
  ['What went wrong at the airport?', 'Our flight was cancelled, and the suitcases ended up in Dublin.'],

  ['Which animal does the couple keep?', 'Our old tabby sleeps on the radiator and purrs.'],
  ['Why was the puppy taken to the vet?', 'The little dog swallowed a sock and needed an X-ray.'],
  ['What grows behind her house?', 'I planted tomatoes, beans and a row of sunflowers in the yard.'],
  ['How was the weather on the hike?', 'It poured all the way up the mountain, and we were soaked.'],

  ['How much does he earn?', 'My salary went up to sixty thousand a year.'],
  ['Are they still paying off the flat?', 'The mortgage will be cleared by the time I turn fifty.'],
  ['What broke in the kitchen?', 'The dishwasher leaked all over the floor, and the fridge died that day.'],
  ['What is she saving up for?', 'I put some cash aside each month, because one day I want to buy a boat.'],

  ['Does he have any children?', 'My daughter is four and the twins are nearly two.'],
  ['How did the two of them meet?', 'A friend introduced us at a wedding, and we danced until morning.'],
  ['What was her childhood like?', 'I grew up on a farm with five sisters and hardly any toys.'],
  ['When is his birthday?', 'I turn forty on the third of May.'],

  ['Which instrument does she play?', 'I have practised the cello since I was seven.'],
  ['What kind of books does he like?', 'I read crime novels and now and then a biography.'],
  ['What is her job?', 'I teach chemistry to teenagers at a secondary school.'],
  ['Why did he quit?', 'My boss shouted at everybody, so I handed in my notice.'],

  ['Which database does the project use?', 'All records are kept in Postgres, with a replica for reports.'],
  ['Why was the query so slow?', 'There was no index on that column, so every row had to be scanned.'],
  ['What did we lose in the outage?', 'The disk failed before the nightly backup, and six hours of orders are gone.'],
  ['How are schema changes rolled out?', 'Numbered migration scripts run when a new version starts.'],

  ['Where is the app hosted?', 'Everything runs on two rented servers in Frankfurt.'],
  [
    'What happens after a pull request is merged?',
    'The pipeline builds an image and ships it to production by itself.',
  ],
  ['How do we get told when the site goes down?', 'An alert pages whoever is on call within a minute.'],
  [
    'Why did the release fail?',
    'The container ran out of memory while it booted, so we went back to the previous build.',
  ],

  ['How do users log in?', 'People sign on with their Google account and need no password.'],
  ['Who may delete the data of a customer?', 'Only administrators have the right to erase personal records.'],
  ['Which colour did the designer choose for the buttons?', 'Everything you can click is dark green with white text.'],
  ['Why does the page look odd on phones?', 'The layout assumes a wide screen, so on a mobile things overlap.'],

  ['What made the tests flaky?', 'They depended on the clock and passed only if the machine was quick enough.'],
  ['Which language is the backend written in?', 'We moved the server code from Java to Rust.'],
  ['What annoys him about code review?', 'My patches wait a week until somebody looks at them.'],
  ['How should errors be reported to the caller?', 'Never throw an exception; return a result with a reason in it.'],

  ['What tone should the assistant take?', 'Please keep replies short and formal, without jokes.'],
  ['Which editor does she work in?', 'I have typed everything in Vim since university.'],
  ['When does the team have its meetings?', 'We all gather on Monday at ten for a quarter of an hour.'],
  ['How is the deadline looking?', 'We are two weeks behind and will not finish by the end of June.'],
]
