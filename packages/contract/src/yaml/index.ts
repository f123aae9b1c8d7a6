export { lineInYaml } from './line-in-yaml.ts'
export { parseYamlDocument, YAML_LIMITS } from './parse-yaml-document.ts'
