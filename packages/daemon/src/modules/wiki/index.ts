export { createWikiModule } from './wiki-module.ts'
