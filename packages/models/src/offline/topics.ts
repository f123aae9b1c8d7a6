import { splitWords, stem } from './words.ts'

/** Common topics of labels: their names, and the words that indicate them. */
const TOPICS: readonly { names: string; cues: string }[] = [
  {
    names: 'ai artificial intelligence ml machine learning llm genai',
    cues: 'AI LLM GPT Claude Gemini OpenAI Anthropic model models neural training inference transformer chatbot prompt agent agents embedding dataset fine-tuning reasoning machine-learning',
  },
  {
    names: 'security cybersecurity infosec hacking',
    cues: 'security vulnerability exploit attacker attack malware ransomware breach CVE patch phishing encryption authentication password backdoor zero-day botnet credentials hacker',
  },
  {
    names: 'privacy surveillance',
    cues: 'privacy surveillance tracking GDPR consent personal anonymity cookies wiretap spying',
  },
  {
    names: 'programming coding software development engineering developer',
    cues: 'code programming developer software compiler library function bug API refactoring typescript javascript python rust java framework repository debugging syntax algorithm runtime',
  },
  {
    names: 'open-source opensource oss',
    cues: 'open-source maintainer GPL MIT license contributors upstream fork Linux GitHub community',
  },
  {
    names: 'infrastructure devops cloud operations sre systems',
    cues: 'cloud server servers deploy deployment kubernetes docker latency outage cluster AWS Cloudflare serverless network scaling monitoring uptime',
  },
  {
    names: 'data databases database analytics',
    cues: 'database SQL Postgres SQLite query queries index analytics warehouse schema storage replication',
  },
  {
    names: 'hardware electronics chips semiconductors robotics',
    cues: 'chip chips processor GPU CPU silicon semiconductor sensor battery robot robotics circuit device memory transistor',
  },
  {
    names: 'science research biology physics chemistry',
    cues: 'scientists researchers study experiment physics chemistry biology species gene genes cells hypothesis laboratory journal evolution quantum particle',
  },
  {
    names: 'health medicine healthcare medical fitness wellness',
    cues: 'health patients disease hospital doctors clinical vaccine medicine drug treatment cancer symptoms therapy diet sleep exercise virus',
  },
  {
    names: 'space astronomy',
    cues: 'space NASA rocket orbit satellite planet telescope astronaut lunar moon mars galaxy spacecraft launch',
  },
  {
    names: 'climate environment energy sustainability nature',
    cues: 'climate carbon emissions solar energy renewable electricity grid nuclear warming forest ocean pollution wildlife wind conservation garden gardens plants soil seeds trees',
  },
  {
    names: 'business startups startup entrepreneurship company management',
    cues: 'company companies startup revenue customers market CEO founder acquisition investors profit sales strategy valuation layoffs competitors',
  },
  {
    names: 'finance economics economy investing money markets crypto',
    cues: 'bank banks inflation stocks shares investors interest currency economy economic GDP debt bitcoin crypto trading fund tax taxes',
  },
  {
    names: 'politics government policy geopolitics world international',
    cues: 'government president election minister parliament congress senate vote policy party campaign diplomatic sanctions treaty military war border',
  },
  {
    names: 'law legal regulation',
    cues: 'court judge lawsuit law legal ruling regulation regulators copyright patent antitrust plaintiff attorney legislation',
  },
  {
    names: 'education learning teaching career careers',
    cues: 'students school university teachers education course classroom learning exam degree curriculum hiring interview career',
  },
  {
    names: 'culture art arts society entertainment film music books media',
    cues: 'film music book novel artist museum album theatre culture festival author audience painting cinema television writer poetry',
  },
  {
    names: 'history philosophy ideas psychology humanity',
    cues: 'history century ancient empire philosophy philosopher ethics psychology consciousness meaning belief human mind archaeologists medieval',
  },
  {
    names: 'design ux ui product usability',
    cues: 'design designer interface typography usability layout prototype accessibility product users experience colour',
  },
  {
    names: 'productivity tools life self-improvement writing howto tutorial',
    cues: 'productivity habit habits workflow notes focus tutorial tips guide calendar routine goals checklist step',
  },
  {
    names: 'sports sport',
    cues: 'team match season league goal coach player players championship tournament olympic football cricket tennis score',
  },
  {
    names: 'gaming games game',
    cues: 'game games gamers console playstation xbox nintendo multiplayer steam esports level quest',
  },
  {
    names: 'travel food transport transportation cities',
    cues: 'travel flight airline hotel restaurant recipe city train railway road traffic tourists cooking food',
  },
]

const stemsOf = (text: string): string[] => splitWords(text).map(stem)

const stemTopics = () =>
  TOPICS.map(({ names, cues }) => ({ names: new Set(stemsOf(names)), cues: stemsOf(cues) }))

/** Created on first use: most commands label nothing. */
let topics: ReturnType<typeof stemTopics> | undefined

/** Words that suggest a label: its own, and those of every topic it names. */
export const cuesOf = (label: string): { own: string[]; related: string[] } => {
  const own = stemsOf(label.replaceAll('_', ' ').replace(/([a-z])([A-Z])/g, '$1 $2'))
  topics ??= stemTopics()
  const related = topics.filter(({ names }) => own.some((word) => names.has(word)))
  return { own, related: [...new Set(related.flatMap(({ cues }) => cues))] }
}
