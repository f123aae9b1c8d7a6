import type { Redactor } from '@steward/platform'

/**
 * The text around a hit. Of a text that holds a secret there is none: an excerpt may begin or end
 * within it, and half a secret is not found.
 */
export const safeExcerpt = (
  excerpt: string,
  text: string | undefined,
  redactor: Redactor,
): string => (text === undefined || redactor.redactText(text).found.length > 0 ? '' : excerpt)
