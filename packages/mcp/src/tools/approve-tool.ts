import { z } from 'zod'
import type { ApprovalsPort } from '../ports.ts'
import { defineTool, type Tool } from './tool.ts'

/**
 * The tool that `claude -p --permission-prompt-tool mcp__steward__approve` asks before each call that
 * needs a permission; questions of the assistant come this way too.
 */
export const createApproveTool = (approvals: ApprovalsPort): Tool =>
  defineTool({
    name: 'approve',
    title: 'Ask the person for a permission',
    description:
      'For the option --permission-prompt-tool of Claude Code, which asks it. Not for models.',
    // The assistant gets back what it has sent: without a word changed, or the call would be another.
    isVerbatim: true,
    input: z.object({
      tool_name: z.string().min(1).max(500),
      input: z.record(z.string(), z.unknown()),
      tool_use_id: z.string().optional(),
    }),
    output: z.object({
      behavior: z.enum(['allow', 'deny']),
      updatedInput: z.record(z.string(), z.unknown()).optional(),
      message: z.string().optional(),
    }),
    run: ({ tool_name, input }) => approvals.ask(tool_name, input),
  })
