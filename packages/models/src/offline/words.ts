/** Words too common to indicate a subject. */
const STOP_WORDS = new Set(
  `a about above after again against all almost also although always am among an and another any anyone anything are aren't around as at away back be became because become been before being below best better between both but by came can can't cannot come comes could couldn't day days did didn't do does doesn't doing don't done down during each early either else end enough even ever every everyone everything far few first for four from full further gave get gets getting give given go goes going gone good got great had hadn't has hasn't have haven't having he he's her here hers herself him himself his how however i i'd i'll i'm i've if in instead into is isn't it it's its itself just keep kept kind know known large last later least less let let's like likely little long look looks lot made make makes making many may maybe me means might mine more most much must my myself near need needs never new next no nobody none nor not nothing now of off often old on once one ones only onto or other others our ours ourselves out over own part people per perhaps place possible put quite rather re really right said same say saying says second see seem seems seen several shall she she's should shouldn't show shows simply since small so some someone something soon still such sure take takes taken taking tell than that that's the their theirs them themselves then there there's therefore these they they're they've thing things think this those though thought three through thus time times to today together told too took toward towards try turn two under until up upon us use used user uses using usually ve very via want wants was wasn't way ways we we're we've well went were weren't what what's when where whether which while who whole whom whose why will with within without won't work works would wouldn't wrote year years yes yet you you'd you'll you're you've your yours yourself yourselves
   monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december minute minutes hour hours week weeks weekend month months morning evening night yesterday tomorrow five six seven eight nine ten hundred thousand million billion percent half twice amount number level different important able found including according called started
   der die das und ist nicht ein eine einen mit von für auf dem den des sich auch als wird sind werden bei nach wie aus oder aber wenn nur noch über zum zur
   le la les un une et est pas pour que qui dans sur avec sont ont par plus ce cette ces du au aux ne se il elle nous vous ils mais ou
   el los las una y en es por con para del se lo su más pero como fue son`
    .split(/\s+/)
    .filter((word) => word !== ''),
)

const WORD = /\p{L}[\p{L}\p{M}\p{N}]*(?:['’.+#-][\p{L}\p{N}]+)*[+#]*|\p{N}[\p{N}\p{L}.,%-]*/gu
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** Created on first use: the first one takes a tenth of the process's start time. */
let segmenter: Intl.Segmenter | undefined

/** The words of a text as written. */
export const splitWords = (text: string): string[] => {
  if (!WITHOUT_SPACES.test(text)) return text.match(WORD) ?? []
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' })
  return [...segmenter.segment(text)].filter((part) => part.isWordLike).map((part) => part.segment)
}

export const isTelling = (word: string): boolean => {
  const lower = word.toLowerCase().replaceAll('’', "'")
  return !STOP_WORDS.has(lower) && !/^\p{N}/u.test(word) && (lower.length > 2 || isAcronym(word))
}

export const isAcronym = (word: string): boolean => /^\p{Lu}{2,}[\p{Lu}\p{N}]*s?$/u.test(word)

/**
 * Maps the forms of a word to one stem: `Vulnerabilities` and `vulnerability`. Deliberately rough.
 */
export const stem = (word: string): string => {
  const lower = word.toLowerCase().replaceAll('’', "'").replace(/'s$/, '')
  if (lower.length < 5) return lower.replace(/([^s])s$/, '$1')
  return lower
    .replace(/(ss|sh|ch|x)es$/, '$1')
    .replace(/ies$/, 'y')
    .replace(/([^su])s$/, '$1')
    .replace(/(ations?|ating|ated)$/, 'at')
    .replace(/([^aeiou]{2}|.[aeiou][^aeiou])(ing|ed)$/, '$1')
    .replace(/(.)\1$/, '$1')
    .replace(/e$/, '')
    .replace(/y$/, 'i')
}
