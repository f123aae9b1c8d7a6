import { readTraitData } from '@steward/agents'
import { TRAIT_CATEGORIES, TRAITS } from '@steward/contract'
import type { Paint } from '../../output/paint.ts'
import { formatTable } from '../../output/table.ts'

/** Every trait, voice and combination there is, for programs. */
export const traitList = () => {
  const { traits, voices } = readTraitData()
  return { traits, voices: voices.voices, mappings: voices.mappings }
}

/** The same for people. */
export const renderTraitList = (paint: Paint): string => {
  const { traits, voices } = readTraitData()
  const groups = TRAIT_CATEGORIES.map((category) => {
    const rows = TRAITS[category].map((name) => [
      `  ${name}`,
      traits[category][name]?.description ?? '',
    ])
    return `${paint.bold(category)}\n${formatTable(rows)}`
  })
  const spoken = Object.entries(voices.voices).map(([name, { description }]) => [
    `  ${name}`,
    description,
  ])
  const combinations = voices.mappings.map(({ traits: names, voice }) => [
    `  ${names.join(' + ')}`,
    voice,
  ])
  return [
    ...groups,
    `${paint.bold('voices')}\n${formatTable(spoken)}`,
    `${paint.bold('combinations')}\n${formatTable(combinations)}`,
  ].join('\n')
}
