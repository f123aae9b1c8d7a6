export { describeHookPages } from './describe-hook-pages.ts'
export { createWikiModule } from './wiki-module.ts'
