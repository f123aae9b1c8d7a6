import { type RoutingTable, unwrap } from '@steward/contract'
import { parseTable } from './parse-table.ts'
import { EVERYDAY_WORK } from './rules/everyday-work.ts'
import { NAMED_AGENTS } from './rules/named-agents.ts'
import { SPECIAL_WORK } from './rules/special-work.ts'
import { UNATTENDED_WORK } from './rules/unattended-work.ts'
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

/**
 * The routing rules of spec 3 as data. A lower level wins; within a level the rule whose words come
 * first in the request, then the one listed first here.
 */
const RULES_TEXT = `
rules:
${NAMED_AGENTS}${UNATTENDED_WORK}${SPECIAL_WORK}${EVERYDAY_WORK}`
