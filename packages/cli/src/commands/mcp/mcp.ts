import { createStewardMcpServer, serveStdio } from '@steward/mcp'
import { resolveHome } from '@steward/platform'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { createApprovals } from './ask-approval.ts'
import { createMcpPorts } from './create-mcp-ports.ts'
import { mcpProgram, renderRegistrations } from './render-registrations.ts'

const HELP = `
An MCP server on standard input and output: an assistant starts it and may then search and read your
notes, documents, runs, notifications and sessions. It needs no daemon and works beside one. Secrets
are taken out of all it answers. Without --allow-writes (or mcp.allowWrites in settings.json) it
changes nothing; with it, assistants may also write notes and notify you.

${renderRegistrations(mcpProgram())}
Add --allow-writes behind mcp to let it write, and STEWARD_HOME to its environment if your data home
is not ~/.steward. The Claude Code plugin brings the server with it. docs/mcp.md says more.
`

export const createMcpCommand = (io: Io): Command =>
  new Command('mcp')
    .description('Serve Steward to assistants over MCP, on standard input')
    .option('--allow-writes', 'also let assistants write notes and notify you')
    .option('--approvals', 'also answer the permission prompts of claude -p')
    .addHelpText('after', HELP)
    .action(async ({ allowWrites, approvals }: { allowWrites?: true; approvals?: true }) => {
      const ports = {
        ...createMcpPorts(io, resolveHome(io.env, io.homedir)),
        ...(approvals ? { approvals: createApprovals(io) } : {}),
      }
      const { mcp } = await ports.settings()
      const server = createStewardMcpServer(ports, {
        allowWrites: allowWrites === true || mcp.allowWrites,
      })
      await serveStdio(server, { input: io.stdin, write: io.out.write, signal: io.signal })
    })
