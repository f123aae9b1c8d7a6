import { isJsonObject, type StewardEvent } from '@steward/contract'
import type { LoggedCall } from './evidence.ts'

/** The tool call of a `tool_use` or `tool_failure` row, and the command or file that it is about. */
export const readLoggedCall = (event: StewardEvent): LoggedCall & { subject: string } => {
  const truth = isJsonObject(event.ground_truth) ? event.ground_truth : {}
  const preview = textOf(event.tool_input_preview)
  const texts = [preview, ...leaves(truth)].filter(Boolean)
  return {
    tool: textOf(event.tool_name) || 'unknown',
    input: { ...readPreview(preview), ...truth },
    cwd: textOf(event.cwd) || '/',
    text: texts.join('\n'),
    subject: textOf(truth.command) || textOf(truth.file_path) || texts[0] || '',
  }
}

/**
 * The input from a preview in the log. A truncated preview is not valid JSON, so its texts are
 * extracted by pattern.
 */
const readPreview = (preview: string): Record<string, unknown> => {
  try {
    const parsed: unknown = JSON.parse(preview)
    return isJsonObject(parsed) ? parsed : {}
  } catch {
    const found = [...preview.matchAll(/"(\w+)"\s*:\s*"((?:[^"\\]|\\.)*)(?:"|…|$)/g)]
    return Object.fromEntries(
      found.map(([, name = '', value = '']) => [name, value.replace(/\\(["\\/])/g, '$1')]),
    )
  }
}

const leaves = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return isJsonObject(value) ? Object.values(value).flatMap(leaves) : []
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
