import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { HOSTED_LIMITS } from '@steward/contract'
import { LIBRARY_TIMEOUT_MS } from './library-timeout.ts'
import type { McpTool } from './mcp.ts'

const PAGES = 50

/** The tools a server offers, limited to the number an agent may have. */
export const listServerTools = async (client: Client, signal: AbortSignal): Promise<McpTool[]> => {
  if (client.getServerCapabilities()?.tools === undefined) return []
  const tools: McpTool[] = []
  let cursor: string | undefined
  for (let page = 0; page < PAGES && tools.length < HOSTED_LIMITS.tools; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    // Avoids the client's own method, which compiles every output schema: those come from an
    // untrusted server.
    const listed = await client.request({ method: 'tools/list', params }, ListToolsResultSchema, {
      signal,
      timeout: LIBRARY_TIMEOUT_MS,
    })
    tools.push(...listed.tools.map(toTool))
    cursor = listed.nextCursor
    if (!cursor) break
  }
  return tools.slice(0, HOSTED_LIMITS.tools)
}

interface Listed {
  name: string
  title?: string | undefined
  description?: string | undefined
  inputSchema: Readonly<Record<string, unknown>>
}

const toTool = ({ name, title, description, inputSchema }: Listed): McpTool => ({
  name,
  description: (description || title || name).slice(0, HOSTED_LIMITS.toolDescriptionCharacters),
  inputSchema: toSchema(inputSchema),
})

/** Models reject the whole request if a schema is not a plain object at its top level. */
const toSchema = ({
  oneOf: _one,
  anyOf: _any,
  allOf: _all,
  ...rest
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  ...rest,
  type: 'object',
})
