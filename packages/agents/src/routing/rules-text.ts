import { EVERYDAY_WORK } from './rules/everyday-work.ts'
import { NAMED_AGENTS } from './rules/named-agents.ts'
import { SPECIAL_WORK } from './rules/special-work.ts'
import { UNATTENDED_WORK } from './rules/unattended-work.ts'

/**
 * The routing rules of spec 3 as data. A lower level wins; within a level the rule whose words come
 * first in the request, then the one listed first here.
 */
export const RULES_TEXT = `
rules:
${NAMED_AGENTS}${UNATTENDED_WORK}${SPECIAL_WORK}${EVERYDAY_WORK}`
