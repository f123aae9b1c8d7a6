import type { Material } from './material.ts'
import { isTelling, splitWords, stem } from './words.ts'

/** What can be measured about a text without understanding it, each from 0 to 1. */
export interface Signals {
  words: number
  quality: number
  importance: number
  novelty: number
  urgency: number
  /** Below 0.5 if negative words dominate. */
  sentiment: number
}

const NOVELTY =
  /\b(new|newly|first|novel|launch\w*|announc\w*|releas\w*|introduc\w*|discover\w*|unveil\w*|breakthrough|never before|today)\b/gi
const URGENCY =
  /\b(urgent\w*|immediate\w*|critical|emergency|breaking|deadline|now|today|actively exploited|zero-day|exploit\w*|patch|recall\w*|warning|alert|outage|expires?)\b/gi
const WEIGHT =
  /\b(million|billion|percent|study|research\w*|government|court|law|security|vulnerab\w*|global|worldwide|major|significant\w*|evidence|results?|data)\b|\d%/gi
const HYPE =
  /\b(amazing|incredible|unbelievable|you won't believe|must-have|game.?changer|secret trick|guaranteed|buy now|limited time|click here|subscribe|sponsored)\b/gi
const POSITIVE =
  /\b(good|great|better|best|success\w*|improv\w*|gain\w*|win|wins|won|benefit\w*|happy|safe\w*|fast\w*|strong\w*|grow\w*|progress|praise\w*|hope\w*)\b/gi
const NEGATIVE =
  /\b(bad|worse|worst|fail\w*|loss\w*|lost|decline\w*|attack\w*|breach\w*|vulnerab\w*|risk\w*|threat\w*|crash\w*|harm\w*|kill\w*|dead|death\w*|crisis|fear\w*|bug|bugs|broken)\b/gi

/** One strong word among a dozen says little, so short texts are diluted by this many words. */
const SHORT_TEXT = 60

export const measure = (material: Material): Signals => {
  const text = [material.title, ...material.sentences].join(' ')
  const words = splitWords(text)
  const count = words.length
  const per100 = (pattern: RegExp) =>
    ((text.match(pattern)?.length ?? 0) / (count + SHORT_TEXT)) * 100

  const stems = words.filter(isTelling).map(stem)
  const variety = clamp(new Set(stems).size / Math.sqrt(2 * Math.max(stems.length, 1)) / 9)
  const length = clamp(Math.log10(Math.max(count, 1) / 30) / Math.log10(1200 / 30))
  const perSentence = count / Math.max(material.sentences.length, 1)
  const rhythm = clamp(1 - Math.abs(perSentence - 19) / 24)
  const structure = clamp(
    material.paragraphs.length / 12 + material.headings.length / 8 + material.listItems / 16,
  )
  const facts = clamp(
    ((text.match(/\p{N}+|(?<=[\p{Ll},;] )\p{Lu}\p{Ll}+/gu)?.length ?? 0) / Math.max(count, 1)) * 9,
  )
  const noise = clamp(per100(HYPE) / 2 + (text.match(/!/g)?.length ?? 0) / Math.max(count / 25, 1))

  const quality = clamp(
    0.3 * length + 0.25 * variety + 0.15 * rhythm + 0.12 * structure + 0.18 * facts - 0.35 * noise,
  )
  const positive = per100(POSITIVE)
  const negative = per100(NEGATIVE)
  return {
    words: count,
    quality,
    importance: clamp(0.5 * quality + 0.5 * clamp(per100(WEIGHT) / 4)),
    novelty: clamp(0.15 + per100(NOVELTY) / 4),
    urgency: clamp(0.05 + per100(URGENCY) / 4),
    sentiment: (positive + 1) / (positive + negative + 2),
  }
}

/** The measurement for a field with such a name and description. */
export const levelFor = (hint: string, signals: Signals): number => {
  if (/sentiment|tone|mood|polarity/.test(hint)) return signals.sentiment
  if (/urgen|priorit/.test(hint)) return signals.urgency
  if (/novel|original/.test(hint)) return signals.novelty
  if (/importan|impact|severity|relevan/.test(hint)) return signals.importance
  // Extraction knows little about what it quotes, so its confidence is low.
  if (/confiden|certain|probab/.test(hint)) return 0.3
  return signals.quality
}

const clamp = (value: number): number => Math.min(1, Math.max(0, value))
