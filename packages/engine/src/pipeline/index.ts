export { type ParsedPipeline, parsePipelineYaml } from './parse-pipeline.ts'
export * from './parse-pipeline-markdown.ts'
export * from './run-pipeline.ts'
