import type { Redactor } from '@steward/platform'

/** Makes a text, or any other value as JSON, safe to log: masked, then encoded, then cut. */
export type ClipText = (value: unknown, chars: number) => string

/**
 * Extra characters that are masked before cutting: a secret across the cut must not leave its first
 * half.
 */
const MARGIN_CHARS = 8192
/** Longer texts inside a value are cut first, because a preview needs no megabytes. */
const LONGEST_TEXT = 16_384

export const createClipText =
  (redactor: Pick<Redactor, 'redactText' | 'redact'>): ClipText =>
  (value, chars) => {
    const clean =
      typeof value === 'string'
        ? redactor.redactText(value.slice(0, chars + MARGIN_CHARS)).value
        : JSON.stringify(redactor.redact(cutTexts(value)).value)
    return clean.length <= chars ? clean : `${clean.slice(0, chars - 1)}…`
  }

const cutTexts = (given: unknown): unknown =>
  JSON.parse(
    JSON.stringify(given, (_key, value: unknown) =>
      typeof value === 'string' && value.length > LONGEST_TEXT
        ? value.slice(0, LONGEST_TEXT)
        : value,
    ),
  )
