import type { EvaluatedPermission, ToolEvaluation } from '@steward/contract'
import type { AgentsTool } from './find-tool.ts'
import { ASK, judgeCall } from './judge-call.ts'

/** Whether a call may run, as stated in its event. */
export interface CallPermission {
  evaluated_permission: EvaluatedPermission
  evaluation?: ToolEvaluation
}

export const evaluateCall = (
  tool: Extract<AgentsTool, { type: 'toolset' | 'mcp' }> | undefined,
  input: Readonly<Record<string, unknown>>,
): CallPermission => {
  // No policy covers an unknown tool.
  if (tool === undefined) return { evaluated_permission: 'deny' }
  switch (tool.policy.type) {
    case 'always_allow':
      return { evaluated_permission: 'allow', evaluation: { type: 'always_allow' } }
    case 'always_ask':
      return { evaluated_permission: 'ask', evaluation: { type: 'always_ask' } }
    case 'auto': {
      // The name of an untrusted server's tool does not show whether it is harmful.
      const judged = tool.type === 'mcp' ? ASK : judgeCall(tool.name, input)
      return {
        evaluated_permission: judged.type,
        evaluation: { type: 'auto', evaluated_permission: judged },
      }
    }
  }
}
