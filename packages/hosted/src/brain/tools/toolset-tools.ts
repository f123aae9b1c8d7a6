import type { ToolsetTool } from '@steward/contract'
import type { ModelTool } from '../models/model.ts'

const text = (description: string) => ({ type: 'string', description })
const shape = (
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[],
): Readonly<Record<string, unknown>> => ({ type: 'object', properties, required })

/** The descriptions of the toolset's tools for the model. */
export const TOOLSET: Readonly<Record<ToolsetTool, ModelTool>> = {
  bash: {
    name: 'bash',
    description:
      'Runs a command in a shell that stays open for the whole session: directory and variables persist. Standard input is empty. Output over 100 KiB keeps its end. A command that takes longer than its time limit is killed and the shell starts anew.',
    inputSchema: shape(
      {
        command: text('The command.'),
        restart: { type: 'boolean', description: 'Start a fresh shell first.' },
        timeout_ms: { type: 'integer', description: 'Timeout; 120000 by default.' },
      },
      [],
    ),
  },
  read: {
    name: 'read',
    description:
      'Reads a text file, at most 256 KiB of it; a range of lines reads part of a larger one.',
    inputSchema: shape(
      {
        file_path: text('The file.'),
        view_range: {
          type: 'array',
          items: { type: 'integer' },
          minItems: 2,
          maxItems: 2,
          description:
            'First and last line, counted from 1; a last line of 0 or less means the end.',
        },
      },
      ['file_path'],
    ),
  },
  write: {
    name: 'write',
    description: 'Writes a whole file and creates missing folders.',
    inputSchema: shape({ file_path: text('The file.'), content: text('The whole content.') }, [
      'file_path',
      'content',
    ]),
  },
  edit: {
    name: 'edit',
    description:
      'Replaces a text in a file. The text has to be there exactly once, unless replace_all is set.',
    inputSchema: shape(
      {
        file_path: text('The file.'),
        old_string: text('The exact current text.'),
        new_string: text('The new text.'),
        replace_all: { type: 'boolean', description: 'Replace every occurrence.' },
      },
      ['file_path', 'old_string', 'new_string'],
    ),
  },
  glob: {
    name: 'glob',
    description: 'Finds files by a pattern such as src/**/*.ts, the newest first, at most 200.',
    inputSchema: shape({ pattern: text('The pattern.'), path: text('Where to look.') }, [
      'pattern',
    ]),
  },
  grep: {
    name: 'grep',
    description: 'Finds lines by a regular expression; returns file:line:text.',
    inputSchema: shape({ pattern: text('The regular expression.'), path: text('Where to look.') }, [
      'pattern',
    ]),
  },
  web_fetch: {
    name: 'web_fetch',
    description: 'Fetches a web page and returns its text.',
    inputSchema: shape({ url: text('The address.') }, ['url']),
  },
  web_search: {
    name: 'web_search',
    description: 'Searches the web and returns titles, addresses and excerpts.',
    inputSchema: shape({ query: text('What to look for.') }, ['query']),
  },
}
