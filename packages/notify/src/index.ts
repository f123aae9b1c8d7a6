export { announceRequest, type RequestAnnouncement } from './announce/announce-request.ts'
export { announceWorkflow, type WorkflowAnnouncement } from './announce/announce-workflow.ts'
export { classifyRequest, type RequestClass } from './announce/classify-request.ts'
export {
  type CompletionLine,
  findCompletionLine,
  type LastMessage,
} from './announce/completion-line.ts'
export { EFFORTS, type Effort, readEffort, readPhase, speaksPhase } from './announce/effort.ts'
export { findSkip, type Situation, SKIPS, type Skip } from './announce/find-skip.ts'
export { GERUNDS, type RequestKind } from './announce/request-verbs.ts'
export { checkWorkflow, listRoutedWorkflows, type Skill } from './announce/skill-workflows.ts'
