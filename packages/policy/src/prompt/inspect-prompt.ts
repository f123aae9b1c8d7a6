import type { Judgement, PromptCategory } from '@steward/contract'
import { gravest } from '../judge/verdicts.ts'
import { PROMPT_PATTERNS, type PromptPattern } from './prompt-patterns.ts'
import { withoutQuotations } from './quotations.ts'

export interface PromptFinding {
  category: PromptCategory
  description: string
  effect: PromptPattern['effect']
  text: string
}

/** Shorter prompts are not looked at. */
const MIN_CHARS = 10
/** Of a long prompt the beginning and the end are looked at. */
const MAX_CHARS = 50_000

/** Looks through a prompt: `deny` blocks it, `alert` only warns. */
export const inspectPrompt = (prompt: string): Judgement & { findings: PromptFinding[] } => {
  const text = normalise(prompt)
  const isFound = prompt.trim().length >= MIN_CHARS && findAll(text).length > 0
  const findings = isFound ? findAll(withoutQuotations(text)) : []
  return { ...gravest(judge(findings)), findings }
}

const normalise = (prompt: string): string => {
  const shown =
    prompt.length > 2 * MAX_CHARS
      ? `${prompt.slice(0, MAX_CHARS)}\n${prompt.slice(-MAX_CHARS)}`
      : prompt
  // Letters set apart one by one are the same word to a reader.
  return shown
    .normalize('NFKC')
    .replace(/[ \t]+/g, ' ')
    .replace(/(?<!\S)(?:\p{L} ){4,}\p{L}(?!\S)/gu, (word) => word.replaceAll(' ', ''))
}

const findAll = (text: string): PromptFinding[] =>
  PROMPT_PATTERNS.flatMap(({ category, description, effect, pattern }) => {
    // Letters that are parted by invisible ones are the same word to a reader.
    const found =
      pattern.exec(text) ?? pattern.exec(text.replace(/[\u200B-\u200D\u2060\uFEFF]/g, ''))
    return found === null ? [] : [{ category, description, effect, text: found[0].slice(0, 200) }]
  })

const judge = (findings: readonly PromptFinding[]): Judgement[] => {
  const isSending = findings.some(({ effect }) => effect === 'outbound')
  return findings.flatMap(({ category, description, effect, text }): Judgement[] => {
    const rule = `prompt.${category}`
    if (effect === 'block') return [{ verdict: 'deny', rule, reason: description, part: text }]
    if (effect === 'warn') return [{ verdict: 'alert', rule, reason: description, part: text }]
    if (effect === 'outbound' || !isSending) return []
    return [{ verdict: 'deny', rule, reason: 'wants secrets to be sent elsewhere', part: text }]
  })
}
