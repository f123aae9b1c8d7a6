import type { Redactor } from '@steward/platform'

/** Makes a text, or any other value as JSON, fit to be logged: masked, then encoded, then cut. */
export type ClipText = (value: unknown, chars: number) => string

/** So much more than is kept is looked at: a secret across the cut must not leave its first half. */
const MARGIN_CHARS = 8192
/** Longer texts inside of a value are cut before they are looked at: a preview needs no megabytes. */
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
