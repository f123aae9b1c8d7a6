import { join } from 'node:path'
import { quoteWord } from '../../output/format.ts'
import { findInstallation } from '../../setup/installation.ts'

/** The program that an assistant starts, with its arguments. */
export interface McpProgram {
  command: string
  args: readonly string[]
}

/** A clone has no `steward` on an assistant's PATH, so its launcher is given by full path. */
export const mcpProgram = (isClone: boolean = findInstallation().isClone): McpProgram =>
  isClone
    ? {
        command: 'node',
        args: [join(findInstallation().root, 'packages/cli/bin/steward.mjs'), 'mcp'],
      }
    : { command: 'steward', args: ['mcp'] }

/**
 * How to register the server with each assistant: a command if available, else the content for its
 * file.
 */
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
