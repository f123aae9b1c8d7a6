import type { Material } from './material.ts'
import { cuesOf } from './topics.ts'
import { splitWords, stem } from './words.ts'

/** Which of the given labels fit the text, best first; labels without evidence are left out. */
export const rankLabels = (labels: readonly string[], material: Material): string[] => {
  const counts = new Map<string, number>()
  const note = (text: string, weight: number) => {
    for (const word of splitWords(text)) {
      const term = stem(word)
      counts.set(term, (counts.get(term) ?? 0) + weight)
    }
  }
  note(material.title, 3)
  for (const heading of material.headings) note(heading, 2)
  for (const sentence of material.sentences) note(sentence, 1)

  const seen = (terms: readonly string[]) =>
    terms.reduce((sum, term) => sum + Math.log1p(counts.get(term) ?? 0), 0)
  const scored = labels
    .map((label, index) => {
      const { own, related } = cuesOf(label)
      return { label, index, score: 1.5 * seen(own) + seen(related) }
    })
    .filter(({ score }) => score > MENTION)
    .sort((a, b) => b.score - a.score || a.index - b.index)
  const best = scored[0]?.score ?? 0
  return scored.filter(({ score }) => score >= best * KEEP).map(({ label }) => label)
}

/** A single mention of a cue does not make it a subject. */
const MENTION = Math.log1p(1)
/** A label far behind the best one is noise. */
const KEEP = 0.45

const SCALE: Record<string, number> = {
  s: 0.95,
  a: 0.75,
  b: 0.58,
  c: 0.42,
  d: 0.25,
  e: 0.15,
  f: 0.05,
  excellent: 0.9,
  outstanding: 0.95,
  great: 0.8,
  good: 0.65,
  fair: 0.45,
  average: 0.5,
  okay: 0.5,
  ok: 0.5,
  mediocre: 0.35,
  poor: 0.2,
  bad: 0.15,
  terrible: 0.05,
  critical: 0.95,
  urgent: 0.9,
  immediate: 0.9,
  severe: 0.9,
  major: 0.75,
  high: 0.75,
  important: 0.7,
  normal: 0.5,
  medium: 0.5,
  moderate: 0.5,
  minor: 0.3,
  low: 0.2,
  none: 0.02,
  positive: 0.7,
  neutral: 0.5,
  mixed: 0.45,
  negative: 0.3,
  daily: 0.55,
  weekly: 0.35,
  archive: 0.1,
}

/**
 * The value of a scale (`S`…`D`, `low`…`critical`) nearest to a level; undefined if it is not a
 * scale.
 */
export const chooseOnScale = (values: readonly string[], level: number): string | undefined => {
  let nearest: { value: string; distance: number } | undefined
  for (const value of values) {
    const place = SCALE[splitWords(value)[0]?.toLowerCase() ?? '']
    if (place === undefined) return undefined
    const distance = Math.abs(place - level)
    if (nearest === undefined || distance < nearest.distance) nearest = { value, distance }
  }
  return nearest?.value
}
