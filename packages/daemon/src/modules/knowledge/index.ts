export { createKnowledgeModule } from './knowledge-module.ts'
