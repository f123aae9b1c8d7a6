import type { Archive } from '../archive/open-archive.ts'
import type { StewardMcpPorts } from '../ports.ts'
import { createApproveTool } from './approve-tool.ts'
import { createKnowledgeTools } from './knowledge-tools.ts'
import { createKnowledgeWriteTool } from './knowledge-write-tool.ts'
import { createNotificationsListTool, createNotifyTool } from './notification-tools.ts'
import { createRunTools } from './run-tools.ts'
import { createSessionTools } from './session-tools.ts'
import type { Tool } from './tool.ts'
import { createWikiTools } from './wiki-tools.ts'

/** Every tool, including those that change something. */
export const listTools = (ports: StewardMcpPorts, archive: Archive): Tool[] => [
  ...createKnowledgeTools(archive),
  ...createWikiTools(archive),
  ...createRunTools(ports.runs),
  ...createSessionTools(ports),
  createNotificationsListTool(ports.notifications),
  createKnowledgeWriteTool(ports, archive),
  createNotifyTool(ports.notifications),
  ...(ports.approvals === undefined ? [] : [createApproveTool(ports.approvals)]),
]
