import { join } from 'node:path'
import { quoteWord } from '../output/quote-word.ts'
import { findInstallation } from '../setup/installation.ts'

/** What an assistant starts: a program and its arguments. */
export interface McpProgram {
  command: string
  args: readonly string[]
}

/** A clone has no `steward` on the path of an assistant: its launcher is named whole. */
export const mcpProgram = (isClone: boolean = findInstallation().isClone): McpProgram =>
  isClone
    ? {
        command: 'node',
        args: [join(findInstallation().root, 'packages/cli/bin/steward.mjs'), 'mcp'],
      }
    : { command: 'steward', args: ['mcp'] }

/** How each assistant is told of the server: a command where it has one, else what its file gets. */
export const renderRegistrations = ({ command, args }: McpProgram): string => {
  const line = [command, ...args].map(quoteWord).join(' ')
  const servers = JSON.stringify({ mcpServers: { steward: { command, args } } })
  const local = { type: 'local', command: [command, ...args], enabled: true }
  return `Register it:
  Claude Code   claude mcp add --scope user steward -- ${line}
  Codex         codex mcp add steward -- ${line}
                or in ~/.codex/config.toml:
                [mcp_servers.steward]
                command = ${JSON.stringify(command)}
                args = ${JSON.stringify(args)}
  Gemini CLI    in ~/.gemini/settings.json:
                ${servers}
  Cursor        in ~/.cursor/mcp.json:
                ${servers}
  OpenCode      in ~/.config/opencode/opencode.json:
                ${JSON.stringify({ mcp: { steward: local } })}
`
}
