/** Words that distinguish lasting facts from small talk. Lower case; each list becomes one alternation. */

const oneOf = (list: string) => list.trim().split(/\s+/).join('|').replaceAll('_', '[ -]')

/** Programming languages, tools and platforms, in lower case. */
export const TECHNOLOGY = oneOf(`
  ada angular ansible apache assembly astro aws azure babel bash bazel bun c c\\+\\+ c# cassandra circleci clickhouse clojure
  cobol css cuda cypress dart databricks deno django docker dotnet \\.net dynamodb elasticsearch elixir elm emacs erlang
  eslint excel express f# fastapi figma firebase flask flutter fortran gcp git github gitlab go golang grafana graphql grpc
  hadoop haskell helm heroku html java javascript jenkins jest jira jquery julia jupyter k8s kafka kotlin kubernetes laravel
  latex linear linux lisp lua mariadb matlab mongo mongodb mysql neovim netlify next\\.?js nginx nix node node\\.?js npm numpy
  ocaml opengl oracle pandas perl php playwright pnpm postgres postgresql powershell prettier prisma prolog prometheus
  pulumi python pytorch r rabbitmq rails react redis redux ruby rust salesforce sass scala scheme shell slack snowflake spark
  spring sql sqlite supabase svelte swift tailwind tensorflow terraform trello typescript ubuntu unity unreal vercel vim
  vitest vite vs_code vscode vue webpack windows yarn zig zsh`)

/** Spoken languages. */
export const LANGUAGE = oneOf(`
  afrikaans albanian arabic armenian basque bengali bulgarian cantonese catalan chinese croatian czech danish dutch english
  esperanto estonian farsi filipino finnish flemish french galician german greek hebrew hindi hungarian icelandic indonesian
  irish italian japanese korean latin latvian lithuanian malay mandarin norwegian persian polish portuguese punjabi romanian
  russian serbian slovak slovenian spanish swahili swedish tagalog tamil telugu thai turkish ukrainian urdu vietnamese welsh
  yiddish`)

/** Professions and roles. */
export const ROLE = oneOf(`
  accountant actor actress administrator analyst architect artist astronomer attorney author baker barista bartender biologist
  bookkeeper bricklayer builder butcher carpenter cashier ceo cfo chef chemist cleaner clerk coach composer consultant
  contractor cook cto dancer dentist designer developer dev director doctor driver economist editor electrician engineer
  entrepreneur farmer father firefighter founder freelancer gardener geologist grandfather grandmother graduate hairdresser
  historian housewife illustrator instructor intern interpreter journalist judge lawyer lecturer librarian maintainer manager
  marketer mathematician mechanic midwife mother mum mom musician novelist nurse owner painter paediatrician paralegal parent
  paramedic pediatrician pensioner pharmacist philosopher photographer physician physicist physiotherapist pilot planner
  plumber poet policeman postdoc principal producer professor programmer psychiatrist psychologist realtor receptionist
  recruiter researcher sailor salesman salesperson scientist secretary sculptor singer soldier student surgeon surveyor
  sysadmin tailor teacher technician tester therapist trainer translator tutor vegan vegetarian vet veteran veterinarian
  waiter waitress welder widow widower writer`)

/** Family, friends and pets. */
export const KIN = oneOf(`
  aunt baby boss boyfriend brother cat child children colleague cousin co-founder cofounder dad dad daughter daughters dog dogs cats
  ex family father fiancé fiancée fiance fiancee flatmate friend girlfriend grandfather grandma grandmother grandpa grandson
  granddaughter horse husband kid kids kitten manager mom mother mum nephew niece parents partner puppy rabbit roommate sister
  son sons spouse stepson stepdaughter twins uncle wife`)

/** Lasting possessions of a person. */
export const POSSESSION = oneOf(`
  kid kids child children son sons daughter daughters brother brothers sister sisters sibling siblings twins grandchildren
  grandson granddaughter grandkids wife husband girlfriend boyfriend partner dog dogs cat cats pet pets puppy kitten horse
  horses rabbit rabbits parrot chickens bachelor bachelors master masters phd doctorate degree mba allergy allergies asthma diabetes adhd
  add autism dyslexia insomnia migraines arthritis epilepsy eczema tinnitus anxiety hypertension car cars motorbike motorcycle
  bike house flat apartment garden allotment visa citizenship passport mortgage`)

/** Lasting assets of a team. */
export const ASSET = oneOf(`
  api apis app apps architecture backend back_end frontend front_end board branch budget build ci ci_pipeline client clients cloud
  code_style codebase code company conventions convention customers customer database databases db default_branch
  deploys deployment deployments docs domain house_style infrastructure infra language main_branch mascot minimum monorepo
  office offices org platform policy process product production production_server project provider repo repos repository
  release releases retro server servers service services shop site sla sprint sprints sprint_length stack staging
  staging_server standup stand-up style_guide suppliers team teams tech_stack test_framework tests time_zone website warehouse
  wiki workflow`)

/** Actions requested of an agent. */
export const DEED = oneOf(`
  abbreviate add address alphabetise alphabetize annotate answer apologise apologize append apply archive ask assume attach avoid back
  back_up be begin bcc branch cache cancel cc charge book build bump buy call
  capitalise capitalize change check choose cite clean close comment commit confirm consider convert copy create default
  delete deploy describe do document double-check draft email end ensure exclude explain export fetch finish fix follow
  force-push format forward generate give greet group guess handle hide ignore import include indent inform install invent keep label
  leave limit link lint list log make mark mention merge mock move name notify offer open order pick pin plan post
  prefer prefix present print propose publish pull push put quote read rebase recommend refer remind remove rename repeat reply
  report respond return reuse review round run save say schedule send set share ship show sign skip sort speak spell split
  squash stage start stay stick stop store suggest summarise summarize switch tag talk target tell test throw touch track
  translate treat try type update upgrade use validate verify wait work wrap write`)

/** Nouns that take "the" without context, like "the sea". */
export const LASTING = String.raw`(?:idea of \w+ing|taste of|smell of|sound of|feeling of|sea|seaside|ocean|beach|coast|mountains?|hills|woods|forest|city|countryside|country|outdoors|rain|snow|sun|sunshine|cold|heat|winter|summer|spring|autumn|fall|night|morning|mornings|evenings?|piano|guitar|violin|theatre|theater|opera|cinema|movies|gym|aisle|window|back row|front row|metric system|command line|terminal|beatles|oxford comma)(?![\w'-])`
