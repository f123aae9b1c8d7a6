/**
 * What people say, and where it should go: under each `== heading` the requests that belong there.
 * `[E4 VERIFY unattended]` in front of a request is what is known beside it. A heading names the rule's
 * outcome: a system (custom, team, managed, direct), a skill (skill:Research), a workflow, a named agent
 * (named:Ava), or a built-in type. The roster of the test: Ava (primary researcher), Remy (secondary
 * researcher), Serena Blackwood (architecture lead), Marcus (senior engineer), Rook (security specialist).
 */
export const SENTENCES = `
== custom
Create custom agents to review the proposal
Spin up custom agents for this
spin up three custom agents with different opinions on pricing
Use custom agents.
I want custom agents on this problem
Can you make me a custom agent that knows tax law?
Please build some bespoke agents for the negotiation
Put together tailor-made agents for the contract review
Compose an agent out of the traits skeptical, legal and thorough
I'd like agents with different personalities to argue about this
Give me a purpose-built agent for GDPR questions
custom subagents please, one per chapter
Let's get a few customized agents to look at the business plan
Let's get a few customised agents to look at the business plan
Why not use custom agents for that?
Don't forget to use custom agents for the review
Use nothing but custom agents
Never use built-in types, only custom agents
Use custom agents, not Engineer
Forget Forge; I want custom agents here
Launch custom agents overnight to compare vendors
[unattended] Launch custom agents to compare vendors
Use custom agents in parallel to implement the three modules
Research the market with custom agents
[E4 VERIFY] Use custom agents to challenge the result
[E5] custom agents for a production-grade rewrite
Use custom ones this time, agents that disagree with each other
Design a custom agent who thinks like a pirate
Launch agents to read each chapter
Launch five agents on this
Spawn specialized agents for the audit of our marketing copy
Use parallel agents
I need several agents looking at this from different angles
Throw some agents at this problem
Kick off agents for each of the twelve regions
Get a bunch of agents to brainstorm names
fire up a couple of agents to debate the merger
Could you deploy ten agents across these documents?
Have multiple agents independently estimate the effort
Dispatch sub-agents to summarise every meeting
Start subagents, one per file
Use specialised agents to go over the lease
Run a panel of expert agents on the thesis
Delegate it to some agents
Let a group of specialists argue about the budget
Assemble a set of agents, each with its own expertise
Don't do it alone, use agents
Launch agents to research competitors
I want eight agents working simultaneously on the translations

== team
Start an agent team for the migration
Use a swarm for this
Let an agent swarm handle the backlog
Do these five things in parallel
Migrate all three services at the same time
Work on the frontend and the backend concurrently
Split this up and coordinate the pieces, some depend on others
These tasks have dependencies: schema first, then the API, then the client; coordinate them
Tackle the modules simultaneously
Run the twelve conversions side by side
Implement the parser, the lexer and the printer in parallel
Parallelize the work on these tickets
Have teammates take one ticket each and coordinate
Form a team of agents that hand work to each other
Use a team of agents with shared tasks
Don't use custom agents; do the three parts in parallel
Instead of custom agents use an agent team
Distribute the chapters across several workers and merge what comes back

== managed
Run this overnight
Do the whole data backfill while I sleep
This has to survive disconnects
Keep going even if my laptop closes
Run it in CI on every push
It will take six hours and nobody will be watching
Let it run unattended until it is done
Have it work through the weekend without me
It must keep running when my connection drops
Trigger it from a webhook and let it work in the cloud
Kick off a hosted agent for the nightly report
Use a managed agent
Start it in the cloud and I'll look tomorrow morning
Run agents overnight on the archive
Implement the exporter overnight while I am asleep
I'm going to bed, carry on with the migration until morning
Process the archive for eight hours in a sandbox in the cloud
Should resume by itself after a lost connection
Migrate the services in parallel overnight
Research the history of tea houses overnight, unattended
[unattended] Implement the billing module
[unattended] Convert the archive to the new format
[unattended] Investigate why the numbers differ
[unattended] Launch agents on the archive
[unattended] Do the three conversions in parallel
As a nightly job, rebuild the index without supervision

== skill:Research
Research the best vector databases
Investigate why churn went up in March
Please research quantum error correction
Can you look into the history of the protocol?
I need you to do some research on solar inverters
Find out what competitors charge
Dig into the causes of the outage at the provider
Do a deep dive on battery chemistry
Do a literature review on spaced repetition
Gather sources about medieval trade routes
Use researchers to compare the three frameworks
Have the researchers look at this
Use researcher agents to check these claims
Let's investigate the vendor's claims
What does the published evidence say about intermittent fasting? Research it
Survey the state of the art in speech recognition
Study up on the new EU rules and report back
[E4] Research the market for electric bikes
Investigate the topic, then write a short note
Read up on how other cities price parking
Could someone please look up recent papers on sleep?
Don't implement anything yet, just research the options
Research "custom agents" as a term in the literature
Research how real estate agents are paid

== named:Ava
Ask Ava to look into it
Use Ava
Have Ava research the suppliers
Let ava check the sources
Get Ava's opinion on the paper
I want Ava on this
Hand this over to Ava, please
Don't use custom agents, ask Ava

== named:Remy
Let Remy find the papers
@Remy what do you think?

== named:Serena
Ask Serena Blackwood how to split the service
What would Serena say about the architecture?

== named:Marcus
Have Marcus implement the endpoint

== Engineer
Implement the login form
Write a function that parses dates
Fix the bug in the checkout page
Add a --verbose flag to the command
Refactor the parser module
Write unit tests for the date helper
Code up a small script that renames files
Add pagination to the list endpoint
Change the button handler so that it debounces
Write code for the CSV import
Build a REST endpoint for invoices
The build is failing, repair it
Create a Python class for matrices
Parse the user agent header and log the browser
Implement a page where real estate agents can upload listings
Implement a custom React hook for scrolling
Write a custom exception class
Add a field for travel agents to the customer form
Don't use custom agents, just implement the parser
Implement the button labelled "launch custom agents"
Fix the typo in the string 'research mode'
[E1] Write a script that counts lines
[E2] Implement the login endpoint
[E2] Implement production-grade logging
[E3] Hack together a quick throwaway prototype of the importer
Use the Engineer
Ask the engineer to add a column
Optimize the SQL query in the reports module
Debug the memory leak in the worker
Port the shell script to TypeScript
Patch the regular expression so it accepts umlauts
Implement rate limiting in the middleware
Write a git hook that runs the linter
Can you wire up the new payment button?

== Forge
Use Forge for the payment service
Have Forge write it
Let forge implement the ledger
Forge should do this one
No shortcuts: implement the ledger properly
Implement the ledger without cutting corners
Don't cut any corners when you write the billing code
Write production-grade code for the billing service
We need production-ready code for the scheduler
[E3] Write production-grade code for the billing service
[E4] Implement the ledger service
[E5] Build the settlement engine
[E3] Implement the OAuth flow for real users
Take no shortcuts, code the importer
Bulletproof, industrial-strength implementation of the queue, please
[E1] Forge, please write the migration
[unattended] Have Forge rewrite the ledger

== Anvil
Use Anvil
Let Anvil do the migration
Refactor the entire codebase to the new API
Rename the concept everywhere in the whole project
Rewrite the whole repository in TypeScript
Migrate the complete monorepo to ES modules
This needs long context: change every module that touches the cache
Convert all packages in the repo from callbacks to promises
Apply this refactoring across the full code base
[E4] Refactor the entire codebase to the new API
Do a project-wide change of the error handling code
A change to the code that has to see all 200K tokens of the project at once

== Cato
Run a cross-vendor audit
Have Cato look at it
Ask Cato
Audit the change with a model from another vendor
Get an independent read-only audit of the diff
I want a second opinion from a different model family on this code
[E4 VERIFY] check the result
[E5 VERIFY] Is it done?
[E4 VERIFY] Implement the login form
[E5 VERIFY] Run the tests in parallel
[E4] Verify the finished work
[E5] Now validate that everything meets the criteria
[E4] We are in the verify phase, go on
[E4 VERIFY] Have Forge look at it
[E4 VERIFY unattended] go on
Audit this pull request
[E2] Cross-vendor audit of the release, please
We are at E5 in VERIFY, what next?
Let an auditor from another vendor go over the code

== Architect
Design the architecture of the sync service
How should we structure the event system?
Draw up a system design for the queue
Use the Architect
Architect a solution for multi-tenant storage
Which architecture fits a million users?
Design the database schema for orders
Think through the trade-offs of microservices against a monolith
Propose a high-level design of the plugin system
What should the module boundaries be?
Design an API for partner access
Design the data model
Should we use event sourcing or plain tables for this system?

== Designer
Design the onboarding screens
Make a mockup of the settings page
Improve the UX of the checkout
Sketch a wireframe for the mobile app
Pick a colour palette and typography for the dashboard
Ask the designer for a better layout
Design a nicer user interface for search

== Explore
Where is the session token validated in this codebase?
Explore the repository and tell me how it is organised
Find every place that calls the old logger
Which files define the routes?
Give me a tour of the code base
How does authentication work in this repo?
Use Explore agent to find the config loader
Map out the modules in this project without changing anything

== Plan
Plan the implementation of the export feature
Make an implementation plan before you touch anything
Go into plan mode
Write up the steps we need to implement billing, do not implement them yet
Break the feature down into implementation steps
Use the Plan agent for the rollout of the new schema

== HostGuide
How do I write a PreToolUse hook in Claude Code?
Which settings does Claude Code have for permissions?
Add an MCP server to Claude Code
How do Claude Code subagents work?
What is the format of a slash command in the host assistant?
How do I configure hooks in Codex CLI?
Does Gemini CLI support MCP?
How do custom slash commands work in Claude Code?
What fields does the agent file front matter of Claude Code take?
Explain the assistant's hook events and settings.json

== SecurityTester
Pentest the staging site
Attack our login endpoint and see whether it breaks
Do a penetration test, one tester per attack surface
Red team the API
Try to exploit the upload form
Look for vulnerabilities in the web app by attacking it
Use the security tester
Run offensive security testing against the gateway

== skill:Browser
Use QATester to check the signup
Launch BrowserAgent
Have UIReviewer look at the page
let the QA tester click through it
Open the page in a real browser and click through the signup
Test the checkout in the browser

== workflow:Spotcheck
Spotcheck what the agents produced
Check that all the agents' outputs are consistent with each other
Do a quick consistency check across all agent results
Spot-check the results of the parallel work

== workflow:SPAWNOBSERVERS
Spawn observers for this session
Start an observer team to audit what the primary agent does
I want read-only oversight of the credential rotation, with observers voting
Put observers on the production deploy

== direct
Do it yourself, no agents
Don't delegate this
Please don't use any agents
Answer without subagents
No agents please, just tell me what two plus two is
Do not launch agents for this, I want you to do it

== skill:Knowledge
What does the knowledge archive say about Acme?
Look it up in our knowledge base first
Search my notes in the knowledge archive for the meeting with Jo

== general-purpose
What time is it?
Thanks, that looks good
Translate "launch custom agents" into German
Write a poem about secret agents
My travel agent says the flight is cancelled
What does the word custom mean?
It is the custom here to bring a gift
Our customers like the agents at the call centre
The real estate agent will call tomorrow
Summarise this email
The chemical agents must be stored cool
`
