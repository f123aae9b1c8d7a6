import type { JsonObject } from '@steward/contract'

/**
 * `{field}` becomes that field of an output: text as it is, anything else as JSON. One that is not
 * there stays as it stands, so that a slip is seen by whoever reads it.
 */
export const fillText = (template: string, fields: JsonObject): string =>
  template.replace(/\{([A-Za-z_][\w-]*)\}/g, (placeholder, name: string) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (value === undefined || value === null) return placeholder
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
