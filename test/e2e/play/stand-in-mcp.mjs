/**
 * The part of Claude Code that uses MCP servers: keeps those that a person adds, starts one, and calls
 * the tool that a model would choose for a question about notes.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const FILE = join(homedir(), '.claude.json')
const readConfig = () => (existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {})

/** `claude mcp add --scope user NAME -- COMMAND ARGUMENTS` */
export const addServer = (words) => {
  const split = words.indexOf('--')
  const name = words[split - 1]
  const [command, ...args] = words.slice(split + 1)
  const config = readConfig()
  const mcpServers = { ...config.mcpServers, [name]: { type: 'stdio', command, args, env: {} } }
  writeFileSync(FILE, JSON.stringify({ ...config, mcpServers }))
  console.log(`Added stdio MCP server ${name} with command: ${command} ${args.join(' ')}`)
}

/** Prints the first note that a search finds, with the tool that found it. */
export const askNotes = async (topic) => {
  const { command, args } = readConfig().mcpServers.steward
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  let id = 0
  const ask = async (method, params) => {
    id += 1
    send({ id, method, params })
    for (;;) {
      const { value } = await answers.next()
      const answer = JSON.parse(value)
      if (answer.id === id) return answer.result
    }
  }
  const clientInfo = { name: 'claude-code', version: '2.1.325' }
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
  const { tools } = await ask('tools/list', {})
  for (const name of ['knowledge_search', 'wiki_search']) {
    if (!tools.some((tool) => tool.name === name)) throw new Error(`there is no tool ${name}`)
    const { structuredContent } = await ask('tools/call', { name, arguments: { query: topic } })
    const found = structuredContent.results.find(({ uri }) => !uri.includes('/docs/'))
    console.log(`${name}: ${found.title}: ${found.excerpt}`)
  }
  child.stdin.end()
}
