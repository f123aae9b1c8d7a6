import {
  fail,
  issuesOf,
  ok,
  type Result,
  type SecurityPolicy,
  StewardError,
  securityPolicy,
} from '@steward/contract'
import { parseYamlDocument } from '@steward/contract/yaml'
import { LineCounter, visit } from 'yaml'

import { findWarnings, type PolicyWarning } from './policy-warnings.ts'

export interface ParsedPolicy {
  policy: SecurityPolicy
  warnings: PolicyWarning[]
}

const MAX_POLICY_CHARS = 1_000_000

/**
 * Parses `PATTERNS.yaml`. Errors name the line and the key; aliases are rejected because a policy
 * has no use for them.
 */
export const parsePolicy = (text: string, subject = 'PATTERNS.yaml'): Result<ParsedPolicy> => {
  const refuse = (reason: string) =>
    fail(new StewardError('invalid_definition', { file: subject, reason }))
  if (text.length > MAX_POLICY_CHARS)
    return refuse(`it is longer than ${MAX_POLICY_CHARS} characters`)
  if (isNestedAbsurdly(text)) return refuse('it is nested too deeply')
  const lines = new LineCounter()
  const document = parseYamlDocument(text, { lineCounter: lines, prettyErrors: false })
  const [error] = document.errors
  if (error !== undefined) {
    return refuse(`line ${lines.linePos(error.pos[0]).line}: ${error.message.split('\n')[0]}`)
  }
  let hasAlias = false
  visit(document, {
    Alias: () => {
      hasAlias = true
      return visit.BREAK
    },
  })
  if (hasAlias) return refuse('YAML aliases (*name) are not supported')
  const lineOf = (path: readonly PropertyKey[]): number => {
    for (let length = path.length; length > 0; length -= 1) {
      const node = document.getIn(path.slice(0, length), true)
      const start = hasRange(node) ? node.range[0] : undefined
      if (start !== undefined) return lines.linePos(start).line
    }
    return 1
  }
  const content: unknown = document.toJS() ?? {}
  const parsed = securityPolicy.safeParse(content)
  if (!parsed.success) {
    const [first] = parsed.error.issues
    const [issue] = issuesOf(parsed.error)
    return refuse(
      `line ${lineOf(first?.path ?? [])}: ${issue?.path ?? ''}: ${issue?.message ?? ''}`,
    )
  }
  return ok({ policy: parsed.data, warnings: findWarnings(parsed.data, lineOf) })
}

const hasRange = (node: unknown): node is { range: [number, number, number] } =>
  typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)

const DEEPEST_LEVEL = 500

/**
 * Returns whether YAML is nested deeper than any real policy. Counts brackets and dashes only,
 * ignoring quotes, because the YAML library takes seconds to reject such texts.
 */
const isNestedAbsurdly = (text: string): boolean => {
  let level = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    if (bracket === '[' || bracket === '{') level++
    else level = Math.max(0, level - 1)
    if (level > DEEPEST_LEVEL) return true
  }
  return /(?:[-?:][ \t]+){500}/.test(text)
}
