import type { Redactor } from '@steward/platform'

/**
 * The text around a hit. Empty if the text contains a secret: an excerpt may cut the secret in
 * half, and half a secret is not detected.
 */
export const safeExcerpt = (
  excerpt: string,
  text: string | undefined,
  redactor: Redactor,
): string => (text === undefined || redactor.redactText(text).found.length > 0 ? '' : excerpt)
