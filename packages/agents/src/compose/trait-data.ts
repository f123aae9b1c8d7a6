import {
  describeIssues,
  issuesOf,
  StewardError,
  TRAIT_CATEGORIES,
  TRAITS,
  type TraitCategory,
  type TraitEntry,
  traitEntry,
  traitVoice,
  voiceMapping,
} from '@steward/contract'
import { parse } from 'yaml'
import { z } from 'zod'
import { TRAITS_TEXT } from './traits-text.ts'
import { VOICES_TEXT } from './voices-text.ts'

const entries = z.record(z.string(), traitEntry)
const traitsFile = z.strictObject({ expertise: entries, personality: entries, approach: entries })
const voicesFile = z.strictObject({
  default: z.string(),
  voices: z.record(z.string(), traitVoice),
  mappings: z.array(voiceMapping),
  fallbacks: z.record(z.string(), z.string()),
})

const read = <T>(schema: z.ZodType<T>, text: string, file: string): T => {
  const parsed = schema.safeParse(parse(text))
  if (parsed.success) return parsed.data
  const reason = describeIssues(issuesOf(parsed.error))
  throw new StewardError('invalid_definition', { file, reason })
}

let data: { traits: z.infer<typeof traitsFile>; voices: z.infer<typeof voicesFile> } | undefined

/** Traits and voices, read on first use and checked against each other. */
export const readTraitData = (): NonNullable<typeof data> => {
  if (data !== undefined) return data
  const traits = read(traitsFile, TRAITS_TEXT, 'the built-in traits')
  const voices = read(voicesFile, VOICES_TEXT, 'the built-in voices')
  const names = new Set<string>(TRAIT_CATEGORIES.flatMap((category) => [...TRAITS[category]]))
  const used = [...voices.mappings.flatMap((each) => each.traits), ...Object.keys(voices.fallbacks)]
  const spoken = [...voices.mappings.map(({ voice }) => voice), ...Object.values(voices.fallbacks)]
  const wrong = [
    ...used.filter((name) => !names.has(name)),
    ...[...names].filter((name) => !Object.hasOwn(voices.fallbacks, name)),
    ...[...spoken, voices.default].filter((name) => !Object.hasOwn(voices.voices, name)),
  ]
  if (wrong.length > 0) {
    const reason = `traits and voices do not fit together: ${wrong.join(', ')}`
    throw new StewardError('invalid_definition', { file: 'the built-in voices', reason })
  }
  data = { traits, voices }
  return data
}

export const traitOf = (category: TraitCategory, name: string): TraitEntry => {
  const entry = readTraitData().traits[category][name]
  if (entry !== undefined) return entry
  throw new StewardError('internal', { reason: `the trait ${category}:${name} has no text` })
}
