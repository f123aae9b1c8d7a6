import { type HostEvent, isJsonObject, type JsonObject } from '@steward/contract'
import { firstTextOf, nestedOf, numberOf, textOf } from '../payload/fields.ts'
import type { ClipText } from './clip-text.ts'

const SHORT_CHARS = 500
const LONG_CHARS = 800

/**
 * The effect of a tool call, `ground_truth` of its row: the command and its output, the file and
 * its change.
 */
export const describeEffect = (event: HostEvent, clip: ClipText): JsonObject | undefined => {
  const input = event.tool_input ?? {}
  if (event.tool_name === 'Bash') return describeCommand(event, input, clip)
  const file = firstTextOf(input, 'file_path', 'notebook_path')
  return file === undefined ? undefined : describeFile(file, input, clip)
}

const describeCommand = (event: HostEvent, input: JsonObject, clip: ClipText): JsonObject => {
  const { stdout, stderr, exitCode } = outputOf(event.tool_response)
  return {
    command: clip(input.command ?? '', SHORT_CHARS),
    stdout_preview: clip(stdout, SHORT_CHARS),
    stdout_bytes: Buffer.byteLength(stdout),
    stderr_preview: clip(stderr, SHORT_CHARS),
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
  }
}

interface Output {
  stdout: string
  stderr: string
  exitCode: number | undefined
}

/** Hosts return plain text, or an object in their own format. */
const outputOf = (response: unknown): Output => {
  if (typeof response === 'string') return { stdout: response, stderr: '', exitCode: undefined }
  if (!isJsonObject(response)) return { stdout: '', stderr: '', exitCode: undefined }
  const exitCode =
    numberOf(response, 'exit_code') ?? numberOf(nestedOf(response, 'metadata'), 'exit')
  return {
    stdout: firstTextOf(response, 'stdout', 'output', 'returnDisplay') ?? '',
    stderr: textOf(response, 'stderr') ?? '',
    exitCode,
  }
}

const describeFile = (file: string, input: JsonObject, clip: ClipText): JsonObject => {
  const content = textOf(input, 'content')
  const [removed, added] = [textOf(input, 'old_string'), textOf(input, 'new_string')]
  return {
    file_path: clip(file, LONG_CHARS),
    ...(content === undefined
      ? {}
      : { content_preview: clip(content, SHORT_CHARS), content_bytes: Buffer.byteLength(content) }),
    ...(removed === undefined && added === undefined
      ? {}
      : {
          diff: { removed: clip(removed ?? '', LONG_CHARS), added: clip(added ?? '', LONG_CHARS) },
        }),
  }
}
