export { createAttentionModule } from './attention-module.ts'
