export type * from './ports.ts'
export {
  createStewardMcpServer,
  type McpServerOptions,
} from './server/create-steward-mcp-server.ts'
export { type StdioPorts, serveStdio } from './server/serve-stdio.ts'
