import { isJsonObject } from '@steward/contract'
import type { Json } from './hoist-schema.ts'

/**
 * Three levels of the document are on separate lines, so that a diff shows the changed operation or
 * component.
 */
const LINE_LEVELS = 3

/** An OpenAPI document as compact JSON with one line per operation and per component. */
export const writeOpenApi = (document: Json): string => `${write(document, LINE_LEVELS, '')}\n`

const write = (value: unknown, levels: number, indent: string): string => {
  if (levels === 0 || !isJsonObject(value)) return JSON.stringify(value)
  const lines = Object.entries(value).map(
    ([key, inner]) => `${indent} ${JSON.stringify(key)}: ${write(inner, levels - 1, `${indent} `)}`,
  )
  return `{\n${lines.join(',\n')}\n${indent}}`
}
