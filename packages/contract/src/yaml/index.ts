export { parseYamlDocument, YAML_LIMITS } from './parse-yaml-document.ts'
