import { AM, CURRENT_WORK, DONT, ONE_THING, type Pattern, SHOWN, startsWith, VERY } from './pattern.ts'

/** Patterns for preferences. Reactions to something just shown do not count. */
export const PREFERENCES: readonly Pattern[] = [
  {
    matches: startsWith(
      String.raw`I ${VERY}(?:prefer|like|love|enjoy|adore|hate|dislike|detest|loathe|despise|favou?r) (?!${SHOWN})\S`,
      String.raw`I(?:'d| would)? ${VERY}(?:prefer|like) (?:that you|(?:it )?(?:when|if) you) \S`,
      String.raw`I (?:can't|cannot|can not) (?:really )?stand (?!${SHOWN})\S`,
      String.raw`I ${DONT} ${VERY}(?:like|love|enjoy|care for) (?!${SHOWN})\S`,
      String.raw`I(?:'d| would) (?:much |really |always |generally )*(?:rather|prefer|sooner) (?!${SHOWN}|see |wait |show |tell |ask |have it )\S`,
      String.raw`(?:my|our) (?:all-time )?(?:least )?favou?rite (?!one |ones |thing |things |part |parts |bit |is |are )[\w' -]{1,40}? (?:is|are|has always been|have always been|will always be) (?!${SHOWN})\S`,
      String.raw`${AM} (?:not )?${VERY}(?:(?:a )?(?:(?:big|huge|great|massive|real|lifelong) )?fan of|partial to|fond of|keen on|obsessed with|big on) (?!${SHOWN})\S`,
      String.raw`${AM} (?:really|very|super|big|so|heavily) into (?!${SHOWN})\S`,
      String.raw`${AM} (?:not |more of )?an? (?:\w+ )?(?:morning|night|cat|dog|coffee|tea|beach|mountain|evening|people|city|country|numbers) person\b|${AM} (?:an early bird|a night owl)\b`,
      String.raw`I (?:always|never|usually|mostly|only) (?:use|write|drink|eat|wear|fly|buy|order|drive|read|listen to|watch) (?!${ONE_THING})\S`,
    ),
    // "I just love …" is ironic
    unless: new RegExp(
      String.raw`${CURRENT_WORK.source}|\bif you (?:could|would|can)\b|\bfor the \w+$|^I(?:'d| would)\b(?! prefer it).*\bit\b|^I ${VERY}like to (?:see|have|know|add|change|get)\b`,
      'iu',
    ),
  },
]
