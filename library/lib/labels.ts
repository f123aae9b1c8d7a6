/** The fixed set of labels, because routing rules and filters rely on them. */
export const LABELS = [
  'ai',
  'programming',
  'open-source',
  'security',
  'privacy',
  'infrastructure',
  'data',
  'hardware',
  'science',
  'space',
  'health',
  'climate',
  'business',
  'finance',
  'politics',
  'law',
  'education',
  'culture',
  'history',
  'design',
] as const
export type Label = (typeof LABELS)[number]

/** Keeps the known labels, without duplicates, in the given order, in any case. */
export const knownLabels = (given: readonly string[]): Label[] => {
  const wanted = given.map((label) => label.trim().toLowerCase().replace(/^#/, ''))
  return [...new Set(wanted)].filter(isLabel)
}

const known: ReadonlySet<string> = new Set(LABELS)
const isLabel = (label: string): label is Label => known.has(label)
