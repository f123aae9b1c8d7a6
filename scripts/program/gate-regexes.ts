import { join } from 'node:path'
import { parseRegex, requiredTexts } from '@steward/policy'
import {
  createSourceFile,
  forEachChild,
  isFunctionLike,
  isRegularExpressionLiteral,
  type Node,
  ScriptKind,
  ScriptTarget,
} from 'typescript'

const GATE = join(import.meta.dirname, '../../packages/assistants/src/hook/bundle/gate-regex.ts')
const LIMITS = { leastChars: 2, mostTexts: 64 }

/**
 * Creates a module's own regular expressions when they are first used, and puts a quick look for plain
 * strings in front of them. V8 parses an expression when it is created and compiles it when it is first
 * tried, which takes longer than all else a hook does to a short text, and nearly every text lacks the
 * strings that a match must contain. Matches stay the same.
 */
export const gateRegexes = (code: string): string => {
  const parts: string[] = []
  let done = 0
  const visit = (node: Node): void => {
    if (isRegularExpressionLiteral(node)) {
      const required = JSON.stringify(requiredBy(node.text) ?? null)
      const gated = `gateRegex(() => ${node.text}${required === 'null' ? '' : `, ${required}`})`
      parts.push(code.slice(done, node.getStart()), gated)
      done = node.end
    }
    if (!isFunctionLike(node)) forEachChild(node, visit)
  }
  visit(createSourceFile('module.ts', code, ScriptTarget.Latest, true, ScriptKind.TS))
  if (parts.length === 0) return code
  return `import { gateRegex } from ${JSON.stringify(GATE)};${parts.join('')}${code.slice(done)}`
}

const requiredBy = (literal: string): string[] | undefined => {
  const end = literal.lastIndexOf('/')
  if (/[^gi]/.test(literal.slice(end + 1))) return undefined
  try {
    return requiredTexts(parseRegex(literal.slice(1, end)), LIMITS)
  } catch {
    // What this parser does not know, such as looking behind, stays as it is.
    return undefined
  }
}
