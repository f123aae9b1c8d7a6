import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { isJsonObject, nearestHint, StewardError, toStewardError } from '@steward/contract'
import type { StewardMcpPorts } from '../ports.ts'
import type { Tool } from '../tools/tool.ts'

export interface ToolBox {
  tools: ReadonlyMap<string, Tool>
  allowWrites: boolean
}

const LONGEST_NAME = 100

/** Calls a tool by its name. Errors become a result with the message and the remedy. */
export const callTool = async (
  { redactor: openRedactor, log }: Pick<StewardMcpPorts, 'redactor' | 'log'>,
  box: ToolBox,
  name: string,
  given: unknown,
): Promise<CallToolResult> => {
  let redactText = (text: string): string => text
  try {
    const redactor = await openRedactor()
    redactText = (text) => redactor.redactText(text).value
    const answer = await findTool(box, name).call(given, { redactor })
    const clean = redactor.redactFields(answer).value
    return { content: [textOf(JSON.stringify(clean))], structuredContent: clean }
  } catch (thrown) {
    const error = toStewardError(thrown)
    if (error.code === 'internal') log.warn(redactText(`${name}: ${error.message}`))
    return { content: explain(error).map((text) => textOf(redactText(text))), isError: true }
  }
}

const findTool = ({ tools, allowWrites }: ToolBox, name: string): Tool => {
  const tool = tools.get(name)
  if (tool === undefined) {
    const shown = name.slice(0, LONGEST_NAME)
    const hint = nearestHint(shown, tools.keys())
    throw new StewardError('not_found', { what: 'tool', name: shown, hint })
  }
  if (tool.effect === 'reads' || allowWrites) return tool
  const reason =
    'this server is read-only; the user can allow writing with `steward mcp --allow-writes` or mcp.allowWrites in settings.json'
  throw new StewardError('not_configured', { subject: name, reason })
}

/**
 * The message and the remedy; for a conflict also the current version, which the remedy refers to.
 */
const explain = (error: StewardError): string[] => {
  const { current } = error.details
  const words = [`${error.message}\n${remedyOf(error)}`]
  if (error.code !== 'version_conflict' || !isJsonObject(current)) return words
  return [...words, `The current etag is ${current.etag}. The current text:\n\n${current.content}`]
}

/** An assistant has tools where a person has commands. */
export const remedyOf = ({ code, remedy }: StewardError): string => REMEDIES[code] ?? remedy

const REMEDIES: Readonly<Record<string, string>> = {
  not_found: 'See what there is: knowledge_search, knowledge_list, wiki_search, runs_list.',
  invalid_input: 'The input schema of the tool lists its arguments.',
}

const textOf = (text: string) => ({ type: 'text' as const, text })
