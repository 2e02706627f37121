import {
  AM,
  CURRENT_WORK,
  FOR_YEARS,
  HAVE_BEEN,
  KNOWN,
  NUMBER,
  type Pattern,
  startsWith,
  VERY,
  WORDS,
} from './pattern.ts'
import { LANGUAGE } from './vocabulary.ts'

/** Patterns for skills and the lack of them. */
export const SKILLS: readonly Pattern[] = [
  {
    matches: startsWith(
      String.raw`I (?:only )?know (?:(?:a (?:bit|little|lot) of|a little|some|basic|quite a bit of|enough|both|my way around) )?${KNOWN}(?! (?:is|isn't|are|was|has|can|can't|does|doesn't|will|won't|would|needs|must|should)\b)`,
      String.raw`I know how to \w+`,
      `I (?:don't|do not|can't|cannot) (?:really )?(?:know|speak|write|read|use) (?:any |much )?${KNOWN}`,
      String.raw`I(?: can|'m able to| am able to)? (?:only |also )?speak (?:(?:a (?:bit|little) of|a little|some|basic|fluent|native|both) )?(?:${LANGUAGE})\b`,
      String.raw`${HAVE_BEEN} (?:writing|coding|programming|using|working with|working in|developing|teaching|playing|doing|learning|practi[sc]ing|building|managing|speaking|designing|studying|administering|maintaining|painting|cooking|singing)\b${FOR_YEARS}`,
      String.raw`I(?:'ve| have)(?: got)? (?:over |about |almost |nearly |around |more than )?${NUMBER}\+? (?:or so )?(?:years?|decades?|months)(?:'s?)? (?:of )?(?:${WORDS})experience`,
      String.raw`I(?:'ve| have) (?:lots of |a lot of |plenty of |some |no |little |extensive |limited )?experience (?:in|with|as|of)\b`,
      `${AM} (?:not )?${VERY}(?:new to|good (?:at(?! least)|with)|bad at|great at|terrible at|fluent in|experienced (?:in|with|at)|familiar with|comfortable (?:with|in|using|writing)|proficient (?:in|with|at)|skilled (?:in|at|with)|well versed in|(?:an )?expert (?:in|on|at|with)|(?:a )?(?:complete |total |absolute )?(?:beginner|novice|newbie|amateur)(?: (?:at|in|with|when)|$)|self-taught|rusty (?:in|at|with))`,
      String.raw`${AM} (?:currently )?(?:learning|teaching myself) (?:how to \w+|to \w+|the \w+$|${KNOWN})`,
      String.raw`I(?:'ve| have) never (?:really )?(?:used|written|worked with|programmed|coded|learned|learnt|touched|tried|played)\b`,
    ),
    unless: new RegExp(
      String.raw`${CURRENT_WORK.source}|\b(?:it|that|them|anything like)\b|\bwith the (?:result|idea|plan)\b`,
      'iu',
    ),
  },
]
