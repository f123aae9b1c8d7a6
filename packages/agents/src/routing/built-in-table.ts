import { type RoutingTable, unwrap } from '@steward/contract'
import { parseTable } from './parse-table.ts'
import { RULES_TEXT } from './rules-text.ts'
import { TYPES_TEXT } from './types-text.ts'
import { WORDS_TEXT } from './words-text.ts'

// The build of the program replaces these functions with their results, because parsing the YAML
// takes longer than everything else in `steward route`.

export const readBuiltInTypes = (): RoutingTable['types'] => read(TYPES_TEXT).types

export const readBuiltInRules = (): Pick<RoutingTable, 'words' | 'rules'> => {
  const { words, rules } = read(`${WORDS_TEXT}\n${RULES_TEXT}`)
  return { words, rules }
}

const read = (text: string): RoutingTable => {
  const table = unwrap(parseTable(text, 'the built-in table'))
  return table
}
