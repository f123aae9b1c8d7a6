/**
 * Requests and their expected routes: below each `== heading` the requests that belong there. `[E4
 * VERIFY unattended]` before a request is its context. A heading names the outcome: a system
 * (custom, team, managed, direct), a skill (skill:Research), a workflow, a named agent (named:Ava),
 * or a built-in type. The roster of the test: Ava (primary researcher), Remy (secondary
 * researcher), Serena Blackwood (architecture lead), Marcus (senior engineer), Rook (security
 * specialist).
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
Whip up some tailored specialists for the contract talks
We should have custom agents weigh in on the headline
Set up a custom-built agent who is bold and creative
I would love a handful of bespoke subagents
Assemble custom reviewers with opposing personalities
Please don't hesitate to create custom agents
Make custom agents: one legal, one finance, one contrarian
Get custom agents going on each of these market segments, all at the same time
Bring in multiple specialized agents to stress-test the pitch
Run 4 agents on the four proposals
I want a couple agents poking holes in this argument
Employ a handful of subagents to proofread the chapters
Let's use agents here
Set some agents loose on the inbox
agents please, as many as you need
Could we get parallel agents going?
Ask three agents to write a haiku each and pick the best
Split the reading between agents
Send agents to go through the transcripts
Custom agents, please
I'm after custom agents that challenge my assumptions
could you spin me up a custom agent with a contrarian streak
Use customized AI agents to evaluate the essay
Generate a custom panel of agents for the grant proposal
Let's do this with custom agents instead of Engineer
Forget the built-in ones and go custom: three agents
Launch specialized agents to examine each clause
Deploy a swarm? No: use custom agents
I need you to launch a bunch of agents
Use agents to draft five alternative taglines
Our customs: greet first. Now launch custom agents

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
Get a team of agents on the release
Handle the six endpoints concurrently
Do the docs, the tests and the changelog at the same time
Coordinate the rollout tasks, since step two depends on step one
Work through the list in parallel, please
Use an agents team
Have an agent team build the three services
Please work on all four tickets in parallel
Several tasks here depend on one another; organise and coordinate them
The frontend, backend and docs can be done concurrently, go ahead

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
I won't be at my desk; finish the import by tomorrow morning
Let this job keep running after I disconnect
Do this while I'm on vacation
It should go on for ten hours on its own
This is going to run all night
Execute it from our CI pipeline with nobody around
Start a cloud session that keeps working when I shut my laptop
Make sure it survives if the network drops
Schedule it to run every night
Put it on a hosted agent
leave it running over the weekend
I'm logging off now, keep working on the backlog until Monday
Do the migration tonight while I'm asleep
Please run the benchmark overnight in the cloud
This will take about five hours, nobody needs to be around
It needs to survive if I get disconnected
The evaluation should be kicked off from CI
[unattended] Write the quarterly report
[unattended] Refactor the parser
Launch a managed agent for the crawl

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
Could you research whether heat pumps pay off?
What are the best-reviewed note apps? Please do some digging
Get me background information on the Hanseatic League
Find out who owns the patent
I'd like an in-depth investigation of the supplier
Please look into how tariffs affect us
Compile evidence on remote work productivity
Research competitors and then build a landing page
Do a thorough research on CRDTs
Fact-check this claim about vaccines
Investigate the claims in this article
Research: what is the best way to learn Japanese?
I want to research retirement options
Can someone investigate our competitors' pricing?
Please do research about lithium mining
research agents for software testing

== named:Ava
Ask Ava to look into it
Use Ava
Have Ava research the suppliers
Let ava check the sources
Get Ava's opinion on the paper
I want Ava on this
Hand this over to Ava, please
Don't use custom agents, ask Ava
Could Ava take this one?
Ava, dig through the archives
Let's bring Ava in on this
This is a job for Ava
I'd like Ava's take on this
Ask Ava and Remy to compare notes
Can Ava do it?

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
Please code a tic-tac-toe game
Make the sidebar collapsible
Our login page throws a 500, fix that
Bump the dependency and repair what breaks
Write me a bash script to rotate logs
Develop a small CLI in Go
Rewrite this function to be recursive
Can you make the unit tests pass?
Hook the form up to the API
Add retry logic to the HTTP client
Create an endpoint returning the list of insurance agents
Implement customer agents overview page
Solve the off-by-one error in the loop
Implement support for running jobs in parallel
Implement a dark theme
Put a loading spinner on the button
Write tests
The tests are failing
Teach the parser to accept trailing commas
implement quicksort in rust
Write a Python script to download images
Add dark mode to the app
Fix the flaky test
Fix the null pointer exception when the connection drops
Create a REST API for todos
I need a function that reverses a string
Update the README badge script
Remove the deprecated field from the response
Please refactor this class
Write a regex matching ISO dates
Make the function async
Implement an agent registry endpoint
Write a custom hook for form state
Write code that parses the User-Agent string
[E2] Add a search box
Fix the bug in custom.ts

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
I want this done by Forge
Could forge handle the retry queue?
Please do it with no short cuts: write the sync engine
Never take shortcuts; write the crypto wrapper
Zero shortcuts. Implement the scheduler
Write a robust, production-quality retry library
[E3] Fix the race condition in the scheduler
[E5] Write the payment webhook handler
[E3] Implement the auth service, production-grade
[E4] Write the code for the trading engine
I want Forge to write this
Production-grade implementation of the sync protocol
No shortcuts on this one, build the parser
This must be production-ready: implement the upload service
Ask Forge to implement it

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
Replace the logger in every file of the project
Touch all modules across the repository to add the licence header in code
Migrate the whole code base from Jest to Vitest
I want Anvil on the monorepo
Sweep through the entire repository and rename UserId to AccountId
Refactor across the whole codebase
Have Anvil refactor it
Update the import paths throughout the entire project
The refactor touches the whole repository
Long-context coding job: port the full project to Deno

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
Let a model from a different vendor audit this change
Have another vendor's model check our work
[E5] Verify
[E4] Please double-check everything before we close
[E4 VERIFY] research whether it is right
Get Cato to check the diff
An impartial audit of the implementation by a rival model, please
Audit the code with a different vendor's model
Perform a cross-vendor audit of the migration
[E5] verify that the release is OK
[E4 VERIFY] done?
[E5 VERIFY] double check the API
Cato should review this

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
What's a good architecture for offline sync?
Come up with a design for the permission system
How would you lay out the services?
Design a scalable ingestion pipeline
Weigh the trade-offs between REST and GraphQL
Help me design a distributed lock service
Design the plugin API
Design the system architecture
Propose an architecture for our notification service
architecture for a chat app
I need a system design for a URL shortener
How should we architect the billing system?

== Designer
Design the onboarding screens
Make a mockup of the settings page
Improve the UX of the checkout
Sketch a wireframe for the mobile app
Pick a colour palette and typography for the dashboard
Ask the designer for a better layout
Design a nicer user interface for search
Design a friendlier signup flow
Come up with a visual style for the app
Redesign the navigation
Our settings screen is ugly, make it look nicer
Create wireframes for the new onboarding
Design the UI for the profile page
I need a UX review of the signup
Create a mockup for the landing page

== Explore
Where is the session token validated in this codebase?
Explore the repository and tell me how it is organised
Find every place that calls the old logger
Which files define the routes?
Give me a tour of the code base
How does authentication work in this repo?
Use Explore agent to find the config loader
Map out the modules in this project without changing anything
Show me where the retry policy lives
What are all the callers of parseDate?
Look through the codebase and find the feature flags
I want to understand how this repo is laid out
Trace how a request flows through the code
Explore the codebase
Where's the config parsed?
Find where the token is refreshed
Which module handles retries?

== Plan
Plan the implementation of the export feature
Make an implementation plan before you touch anything
Go into plan mode
Write up the steps we need to implement billing, do not implement them yet
Break the feature down into implementation steps
Use the Plan agent for the rollout of the new schema
Draft an implementation plan for dark mode
Come up with a step-by-step plan for the migration, no code yet
Plan how to implement single sign-on
Lay out the implementation steps for search
Plan the implementation
Create an implementation plan for OAuth
Plan the refactoring of the auth module

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
What hooks does Claude Code offer?
How can I restrict tools in Claude Code's settings?
Set up an MCP server for the assistant
Write a slash command for the host
How do I define an agent in OpenCode?
Which hook events exist in Gemini CLI?
How do I use the Claude API with tool use?
Is there a setting to disable telemetry in Claude Code?
How do hooks work in Claude Code?
Configure an MCP server
What permissions settings exist in the host assistant?
Explain Claude Code's slash commands
Write a Claude Code hook that blocks rm -rf

== SecurityTester
Pentest the staging site
Attack our login endpoint and see whether it breaks
Do a penetration test, one tester per attack surface
Red team the API
Try to exploit the upload form
Look for vulnerabilities in the web app by attacking it
Use the security tester
Run offensive security testing against the gateway
Run a pen-test on the login
Try breaking into the admin panel
Hack our staging API and report the holes
Probe the upload endpoint for injection vulnerabilities
Simulate an attacker against the payment form
Do a penetration test of our API
Try to hack the login page
Find security vulnerabilities in our web app
Perform offensive security testing on the payment endpoint

== skill:Browser
Use QATester to check the signup
Launch BrowserAgent
Have UIReviewer look at the page
let the QA tester click through it
Open the page in a real browser and click through the signup
Test the checkout in the browser
Get the BrowserAgent to log in
use the uireviewer on the landing page
Log in with an actual browser and take screenshots
Launch a QATester
Spawn UIReviewer for the dashboard
Use the browser agent to check the site

== workflow:Spotcheck
Spotcheck what the agents produced
Check that all the agents' outputs are consistent with each other
Do a quick consistency check across all agent results
Spot-check the results of the parallel work
Now that all agents are done, verify that their outputs agree
Run one more agent to check the others' results for consistency

== workflow:SPAWNOBSERVERS
Spawn observers for this session
Start an observer team to audit what the primary agent does
I want read-only oversight of the credential rotation, with observers voting
Put observers on the production deploy
Have observers watch the deploy
I need an observer team on the unattended run
Spin up the oversight observers before rotating the credentials

== direct
Do it yourself, no agents
Don't delegate this
Please don't use any agents
Answer without subagents
No agents please, just tell me what two plus two is
Do not launch agents for this, I want you to do it
Skip the agents and do it yourself
I'd rather you did this yourself, without any agents
Never delegate this one
Just do it yourself, don't spawn agents
No subagents.

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
How are you?
Who wrote Faust?
The agent called about the house
"Use custom agents" is what he said
What is an agent?
Explain what AI agents are
Tell me a joke
Write a story about two secret agents who investigate a theft
Write a limerick about autumn
Good morning
What is 17 times 23?
Please translate this sentence to French
Draft an email to my landlord
The estate agent's fees are too high
Customs agents searched my bag
Remind me to water the plants
Is it customary to tip?
Explain the difference between a user agent and a browser
Recommend a good book
Send an email to Ava about lunch
Tell me about Ava Gardner's films
`
