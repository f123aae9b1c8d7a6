import type { ModelTool } from '../models/model.ts'
import { DELEGATION_TOOLS } from './tool-kinds.ts'

const text = (description: string) => ({ type: 'string', description })

const SHOWN: Readonly<Record<(typeof DELEGATION_TOOLS)[number], ModelTool>> = {
  list_agents: {
    name: 'list_agents',
    description:
      'Lists the agents that you can delegate to, and the threads that you began with their state.',
    inputSchema: { type: 'object', properties: {}, required: [] },
  },
  send_to_agent: {
    name: 'send_to_agent',
    description:
      'Gives a task to an agent. With `agent`, a new thread begins; with `thread_id`, the message continues one that you began, whose agent remembers it. Returns at once: the answer of the agent arrives later as a message, so begin all independent tasks first. Agents share your files but see nothing of your conversation: write paths, limits and the form of the answer into the message.',
    inputSchema: {
      type: 'object',
      properties: {
        agent: text('The name of an agent, for a new thread.'),
        thread_id: text('A thread that you began.'),
        message: text('The task, complete in itself.'),
      },
      required: ['message'],
    },
  },
}

/** The tools that a coordinator has in addition to its own. */
export const delegationTools: readonly ModelTool[] = DELEGATION_TOOLS.map((name) => SHOWN[name])
