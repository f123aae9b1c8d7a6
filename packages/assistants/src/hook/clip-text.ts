import { hideSecretForms, type Redactor } from '@steward/platform'

/** Makes a text fit to be logged: secrets out, then cut. */
export type ClipText = (text: string, chars: number) => string

/** So much more than is kept is looked at: a secret across the cut must not leave its first half. */
const MARGIN_CHARS = 8192

export const createClipText =
  (redactor: Pick<Redactor, 'redactText'>): ClipText =>
  (text, chars) => {
    const near = text.slice(0, chars + MARGIN_CHARS)
    const clean = hideSecretForms(redactor.redactText(near).value)
    return clean.length <= chars ? clean : `${clean.slice(0, chars - 1)}…`
  }
