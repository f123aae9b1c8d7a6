import type { JsonObject } from '@steward/contract'

/**
 * Replaces `{field}` with that field of an output: text as it is, anything else as JSON. Unknown
 * fields are left as they are, so that the reader notices the typo.
 */
export const fillText = (template: string, fields: JsonObject): string =>
  template.replace(/\{([A-Za-z_][\w-]*)\}/g, (placeholder, name: string) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (value === undefined || value === null) return placeholder
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
